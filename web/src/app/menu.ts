import { MODULES } from 'virtual:modules'
import type { MenuEntry } from './page.ts'

const MENU: MenuEntry[] = MODULES.flatMap(({ menu = [] }) => menu).sort((a, b) => a.order - b.order)

/** Guests have few entries, so the bar of a telephone shows those up to this place. */
const GUESTS_MOST = 40

/** The entries of the menu, in their order. */
export const menuOf = (isMember: boolean): MenuEntry[] =>
  MENU.filter((entry) => entry.for === 'all' || isMember)

/** Whether the bar of a telephone has room for an entry. */
export const isInBar = ({ isMain, order }: MenuEntry, isMember: boolean): boolean =>
  isMain === true || (!isMember && order <= GUESTS_MOST)
