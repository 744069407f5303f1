import type { ContentKind } from '#platform/content.ts'
import { musicCounters, songReader, specialReader } from './index.ts'

/** Songs and albums, as the rest of Kith knows them. */
export const MUSIC_KINDS: ContentKind[] = [
  { type: 'musics', code: 5, reader: songReader, counters: musicCounters },
  { type: 'music_specials', code: 6, reader: specialReader },
]
