import type { ContentKind } from '#platform/content.ts'
import { musicCounters, songReader, specialReader } from './index.ts'

/** Songs and albums, as the rest of Kith knows them. */
export const MUSIC_KINDS: ContentKind[] = [
  {
    type: 'musics',
    code: 5,
    reader: songReader,
    counters: musicCounters,
    files: { 'music:storage': 'admin: music' },
  },
  {
    type: 'music_specials',
    code: 6,
    reader: specialReader,
    files: { 'music:special:storage': 'admin: music' },
  },
]
