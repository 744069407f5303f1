import { Bookmark, House } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/', page: 'home-page' },
  { path: '/following', page: 'home-page', access: 'members' },
  { path: '/hot', page: 'home-page' },
  { path: '/saved', page: 'saved-page', access: 'members' },
  { path: '/saved/:kind', page: 'saved-things-page', access: 'members' },
  { path: '/feeds/:feed', page: 'feed-page', goneIn: 'feeds' },
]

export const menu: MenuEntry[] = [
  { path: '/', label: { en: 'Home', zh: '首页' }, icon: House, order: 10, for: 'all', isMain: true },
  { path: '/saved', label: { en: 'Saved', zh: '收藏' }, icon: Bookmark, order: 70, for: 'members' },
]
