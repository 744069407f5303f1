import { Menu } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/more', page: 'more-page' }]

export const menu: MenuEntry[] = [
  {
    path: '/more',
    label: { en: 'More', zh: '更多' },
    icon: Menu,
    order: 100,
    for: 'all',
    isMain: true,
    isOnTelephones: true,
  },
]
