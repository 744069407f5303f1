import { UserSearch } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/people', page: 'discover-page' },
  { path: '/people/popular', page: 'discover-page' },
  { path: '/people/new', page: 'discover-page' },
  { path: '/people/tags', page: 'discover-page', access: 'members' },
  { path: '/people/nearby', page: 'nearby-page', access: 'members' },
]

export const menu: MenuEntry[] = [
  { path: '/people', label: { en: 'People', zh: '找人' }, icon: UserSearch, order: 60, for: 'all' },
]
