import { Music } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export { PlayerBar as Bar } from './bar.tsx'

export const routes: Route[] = [
  { path: '/music', page: 'albums-page' },
  { path: '/music_specials/:special', page: 'album-page', goneIn: 'music_specials' },
  { path: '/musics/:music', page: 'song-page', goneIn: 'musics' },
]

export const menu: MenuEntry[] = [
  { path: '/music', label: { en: 'Music', zh: '音乐' }, icon: Music, order: 55, for: 'all' },
]
