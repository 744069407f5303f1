import { wireTime, zuluTime } from '#lib/time.ts'
import { type UserView, userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type CommentRow, findComments } from './queries.ts'
import type { Comment, CommentWithPeople } from './schema.ts'

/** Rows without who published the content, unless that is the viewer. */
export const withoutOwner = <Row extends { target_user: number }>(rows: Row[], viewerId: number): Row[] =>
  rows.map((row) => (row.target_user === viewerId ? row : { ...row, target_user: 0 }))

/** A row as clients get it. */
export const commentView = (row: CommentRow): Comment => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

/** Who is shown with comments: their authors and the people replied to. */
export const peopleOf = (rows: CommentRow[]): number[] => rows.flatMap((row) => [row.user_id, row.reply_user])

/** Rows with people that were read with those of other content on the page. */
export const showComments = (rows: CommentRow[], people: Map<number, UserView>): CommentWithPeople[] =>
  rows.map((row) => ({
    ...commentView(row),
    user: people.get(row.user_id) ?? null,
    reply: people.get(row.reply_user) ?? null,
  }))

/** Rows with their authors and the people replied to, in the order of the rows. */
export async function withPeople(
  ctx: Context,
  rows: CommentRow[],
  viewerId: number,
): Promise<CommentWithPeople[]> {
  return showComments(rows, await userViews(ctx, ctx.sql, peopleOf(rows), viewerId))
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
