import { type Comment, type CommentRow, commentView, listLatestComments } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { defineFragments } from '#platform/memory'
import { FEEDS, type FeedRow } from './queries.ts'

/** Number of newest comments with a listed feed (feeds-7). */
export const PREVIEW = 5

/** The newest comments on feeds, by feed. */
export type Previews = Map<number, Comment[]>

const previewsOf = defineFragments<Comment[]>('feed comments')

async function read({ sql }: Context, ids: number[], hideFrom: number) {
  const contents = sql`select f.id, f.content_version as version from feeds f where f.id = any(${ids})`
  const rows = await listLatestComments(sql, { type: FEEDS, contents, each: PREVIEW, hideFrom })
  return Map.groupBy(rows, ({ commentable_id }) => commentable_id)
}

const viewsOf = (rows: (CommentRow & { version: string })[]): Comment[] =>
  rows.map(({ version: _, ...row }) => commentView(row))

/** The newest comments without regard to blocks. Reads those that are not in memory. */
export async function findPreviews(ctx: Context, feeds: FeedRow[]): Promise<Previews> {
  const fragments = previewsOf(ctx)
  const found: Previews = new Map()
  const missing: number[] = []
  for (const { id, content_version: version, feed_comment_count: count } of feeds) {
    if (count === 0) continue
    const known = fragments.get(id, version)
    if (known) found.set(id, known)
    else missing.push(id)
  }
  for (const [id, rows] of missing.length > 0 ? await read(ctx, missing, 0) : []) {
    const views = viewsOf(rows)
    fragments.set(id, (rows[0] as { version: string }).version, views)
    found.set(id, views)
  }
  return found
}

/** The newest comments without authors that the viewer blocks. */
export async function findOwnPreviews(ctx: Context, feedIds: number[], viewerId: number): Promise<Previews> {
  const rows = await read(ctx, feedIds, viewerId)
  return new Map(feedIds.map((id) => [id, viewsOf(rows.get(id) ?? [])]))
}
