import { wireTime, zuluTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type CommentRow, findComments, listLatestComments } from './queries.ts'
import type { Comment, CommentWithPeople } from './schema.ts'

/** Rows without who published the thing, unless that is the viewer. */
export const withoutOwner = <Row extends { target_user: number }>(rows: Row[], viewerId: number): Row[] =>
  rows.map((row) => (row.target_user === viewerId ? row : { ...row, target_user: 0 }))

/** A row as clients get it. */
export const commentView = (row: CommentRow): Comment => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

/** Rows with their authors and the people replied to, in the order of the rows. */
export async function withPeople(
  ctx: Context,
  rows: CommentRow[],
  viewerId: number,
): Promise<CommentWithPeople[]> {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.flatMap((row) => [row.user_id, row.reply_user]),
    viewerId,
  )
  return rows.map((row) => ({
    ...commentView(row),
    user: people.get(row.user_id) ?? null,
    reply: people.get(row.reply_user) ?? null,
  }))
}

/** Comments by id, for lists that point to them (pins); a deleted one is absent. */
export async function commentViews(
  ctx: Context,
  ids: number[],
  viewerId: number,
): Promise<Map<number, CommentWithPeople>> {
  if (ids.length === 0) return new Map()
  const views = await withPeople(ctx, await findComments(ctx.sql, ids), viewerId)
  return new Map(views.map((view) => [view.id, view]))
}

/** The newest comments of each thing on a page, without the authors that the viewer blocks; things without are absent. */
export async function latestComments(
  ctx: Context,
  options: { type: string; thingIds: number[]; each: number; viewerId: number },
): Promise<Map<number, CommentWithPeople[]>> {
  if (options.thingIds.length === 0) return new Map()
  const { viewerId, ...list } = options
  const rows = await listLatestComments(ctx.sql, { ...list, hideFrom: viewerId })
  return Map.groupBy(await withPeople(ctx, rows, viewerId), (comment) => comment.commentable_id)
}

/** The form of GET /comments. */
export const foundComment = (row: CommentRow) => ({
  id: row.id,
  user_id: row.user_id,
  target_user: row.target_user,
  reply_user: row.reply_user,
  body: row.body,
  resourceable: { type: row.commentable_type, id: row.commentable_id },
  created_at: zuluTime(row.created_at),
})
