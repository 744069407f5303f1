import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { isCollectedBy } from '#modules/collections/index.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import type { Special } from '../schema.ts'
import type { SpecialRow } from './queries.ts'

/** What of albums without a price depends on who asks. */
export const specialOverlay = overlayOf({ flags: { has_collect: isCollectedBy('music_specials') } })

/** An album as clients get it. */
export const specialView = (row: SpecialRow, price: Special['paid_node']): Special => ({
  id: row.id,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  deleted_at: wireTimeOrNull(row.deleted_at),
  title: row.title,
  intro: row.intro,
  storage: row.storage === null ? null : { id: row.storage, size: row.storage_size },
  taste_count: row.taste_count,
  share_count: row.share_count,
  comment_count: row.comment_count,
  collect_count: row.collect_count,
  sort: row.sort,
  has_collect: row.has_collect,
  paid_node: price,
})
