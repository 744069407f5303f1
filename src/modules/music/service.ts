import type { Reader } from '#platform/content.ts'
import { findSongs } from './songs/queries.ts'
import { songViews } from './songs/service.ts'
import { listSpecials } from './specials/queries.ts'
import { specialViews } from './specials/service.ts'

/** Songs in lists that mix kinds. */
export const songReader: Reader = {
  open: true,
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
  open: true,
  async visible(sql, ids) {
    const rows = await listSpecials(sql, { ids, limit: ids.length, viewerId: 0 })
    return new Set(rows.map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    const rows = await listSpecials(ctx.sql, { ids, limit: ids.length, viewerId })
    return new Map((await specialViews(ctx, rows, viewerId)).map((view) => [view.id, view]))
  },
}
