import { Trophy } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/ranks', page: 'ranks-page' },
  { path: '/ranks/:rank', page: 'ranks-page' },
]

export const menu: MenuEntry[] = [
  { path: '/ranks', label: { en: 'Rankings', zh: '排行榜' }, icon: Trophy, order: 62, for: 'all' },
]
