import { MODULES } from 'virtual:modules'
import type { MenuEntry } from './page.ts'

const MENU: MenuEntry[] = MODULES.flatMap(({ menu = [] }) => menu).sort((a, b) => a.order - b.order)

const GUESTS_MOST = 40

export const menuOf = (isMember: boolean): MenuEntry[] =>
  MENU.filter((entry) => entry.for === 'all' || isMember)

export const isInBar = ({ isMain, order }: MenuEntry, isMember: boolean): boolean =>
  isMain === true || (!isMember && order <= GUESTS_MOST)
