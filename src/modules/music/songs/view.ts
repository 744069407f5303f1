import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { isLikedBy } from '#modules/likes/index.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import type { Song, SongItem } from '../schema.ts'
import type { SongRow, SongWithSinger } from './queries.ts'

/** What of songs depends on who asks. */
export const songOverlay = overlayOf({ flags: { has_like: isLikedBy('musics') } })

/** What a sound costs and whether the viewer has paid. */
export type SongPrice = { id: number; amount: number; extra: string | null; paid: boolean }

const shared = (row: SongRow, pendingPlays: number) => ({
  id: row.id,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  deleted_at: wireTimeOrNull(row.deleted_at),
  title: row.title,
  last_time: row.last_time,
  lyric: row.lyric,
  taste_count: row.taste_count + pendingPlays,
  share_count: row.share_count,
  comment_count: row.comment_count,
  has_like: row.has_like,
})

/** A song as lists show it; `pendingPlays` are those not yet in the database. */
export const songItem = (row: SongRow, pendingPlays: number): SongItem => ({
  ...shared(row, pendingPlays),
  singer: row.singer_id,
  storage: row.storage === null ? null : { id: row.storage },
  sort: row.sort,
})

/** A song by itself. */
export const songDetail = (
  row: SongWithSinger,
  pendingPlays: number,
  price: SongPrice | undefined,
  albums: Song['music_specials'],
): Song => ({
  ...shared(row, pendingPlays),
  sort: row.sort,
  music_specials: albums,
  singer: {
    id: row.singer_id,
    created_at: wireTime(row.singer_created_at),
    updated_at: wireTime(row.singer_updated_at),
    name: row.singer_name,
    cover:
      row.singer_cover === null
        ? null
        : { id: row.singer_cover, size: row.singer_cover_size, paid_node: null },
  },
  storage:
    row.storage === null
      ? null
      : {
          id: row.storage,
          ...(price
            ? {
                amount: price.amount,
                type: price.extra ?? 'download',
                paid: price.paid,
                paid_node: price.id,
              }
            : {}),
        },
})
