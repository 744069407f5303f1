import type { Searchable } from '#platform/search.ts'
import { SongItem } from './schema.ts'
import { playsOf } from './songs/counters.ts'
import { listSongs } from './songs/queries.ts'
import { songItem } from './songs/view.ts'

/** Songs by a part of their title. */
export const songSearch: Searchable = {
  type: 'musics',
  item: SongItem,
  async find(ctx, { q, after, limit, viewerId }) {
    const plays = playsOf(ctx)
    const rows = await listSongs(ctx.sql, { q, after, limit, viewerId })
    return rows.map((row) => songItem(row, plays.pending(row.id)))
  },
}
