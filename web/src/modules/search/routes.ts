import { Search } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [{ path: '/search', page: 'search-page' }]

export const menu: MenuEntry[] = [
  {
    path: '/search',
    label: { en: 'Search', zh: '搜索' },
    icon: Search,
    order: 20,
    for: 'all',
    isMain: true,
  },
]
