import type { CounterCheck } from '#contracts/counters.ts'
import { collectionsRecount } from '#modules/collections/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { songContent } from './songs/service.ts'
import { specialContent } from './specials/service.ts'

/** Counter checks of music for `kith doctor`. Plays and shares leave no records to recount. */
export const musicCounters: CounterCheck[] = [
  commentsRecount(songContent.type, { table: 'music_song_counts', key: 'song_id', column: 'comment_count' }),
  commentsRecount(specialContent.type, {
    table: 'music_special_counts',
    key: 'special_id',
    column: 'comment_count',
  }),
  collectionsRecount(specialContent.type, {
    table: 'music_special_counts',
    key: 'special_id',
    column: 'collect_count',
  }),
]
