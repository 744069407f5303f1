import { commentViews } from '#modules/comments/index.ts'
import { findShownPins } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { FEED_COMMENT } from './queries.ts'

/** The pinned comments of each feed on a page, at most `each`. */
export async function pinnedPreviews(ctx: Context, feedIds: number[], each: number, viewerId: number) {
  const pinned = await findShownPins(ctx.sql, FEED_COMMENT, feedIds)
  const ids = [...pinned].map(([feed, comments]) => [feed, comments.slice(0, each)] as const)
  const views = await commentViews(
    ctx,
    ids.flatMap(([, comments]) => comments),
    viewerId,
  )
  return new Map(
    ids.map(([feed, comments]) => [
      feed,
      comments.flatMap((id) => {
        const view = views.get(id)
        return view ? [{ ...view, pinned: true }] : []
      }),
    ]),
  )
}
