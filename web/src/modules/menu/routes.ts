import { Menu } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export { AccountMenu as Account } from './account-menu.tsx'

export const routes: Route[] = [{ path: '/more', page: 'more-page' }]

export const menu: MenuEntry[] = [
  {
    path: '/more',
    label: { en: 'Menu', zh: '菜单' },
    icon: Menu,
    order: 100,
    for: 'all',
    isMain: true,
    isOnTelephones: true,
  },
]
