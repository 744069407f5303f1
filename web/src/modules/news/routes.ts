import { Newspaper } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/news', page: 'news-page' },
  { path: '/news/write', page: 'write-page', access: 'members' },
  { path: '/news/mine', page: 'mine-page', access: 'members' },
  { path: '/news/:news', page: 'article-page' },
]

export const menu: MenuEntry[] = [
  { path: '/news', label: { en: 'News', zh: '资讯' }, icon: Newspaper, order: 40, for: 'all' },
]
