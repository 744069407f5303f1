import { Hash } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/topics', page: 'topics-page' },
  { path: '/feed-topics/:topic', page: 'topic-page' },
  { path: '/feed-topics/:topic/people', page: 'participants-page' },
]

export const menu: MenuEntry[] = [
  { path: '/topics', label: { en: 'Topics', zh: '话题' }, icon: Hash, order: 30, for: 'all' },
]
