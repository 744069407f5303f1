import { collectionsRecount } from '#modules/collections/index.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import type { Reader } from '#platform/content.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { findSongs } from './songs/queries.ts'
import { songContent, songViews } from './songs/service.ts'
import { listSpecials } from './specials/queries.ts'
import { specialContent, specialViews } from './specials/service.ts'

/** Songs in lists that mix kinds. */
export const songReader: Reader = {
  async visible(sql, ids) {
    return new Set((await findSongs(sql, ids, 0)).map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    const views = await songViews(ctx, await findSongs(ctx.sql, ids, viewerId), viewerId)
    return new Map(views.map((view) => [view.id, view]))
  },
}

/** Albums in lists that mix kinds. */
export const specialReader: Reader = {
  async visible(sql, ids) {
    const rows = await listSpecials(sql, { ids, limit: ids.length, viewerId: 0 })
    return new Set(rows.map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    const rows = await listSpecials(ctx.sql, { ids, limit: ids.length, viewerId })
    return new Map((await specialViews(ctx, rows, viewerId)).map((view) => [view.id, view]))
  },
}

/** Recounts of music, for `kith doctor`. Plays and shares count what leaves no record. */
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
