import { wireTime, zuluTime } from '#lib/time.ts'
import { type UserView, userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type CommentRow, findComments } from './queries.ts'
import type { Comment, CommentWithPeople } from './schema.ts'

/** Removes the content owner from rows, unless the viewer is the owner. */
export const withoutOwner = <Row extends { target_user: number }>(rows: Row[], viewerId: number): Row[] =>
  rows.map((row) => (row.target_user === viewerId ? row : { ...row, target_user: 0 }))

export const commentView = (row: CommentRow): Comment => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

/** People in comments: authors and replied-to users. */
export const commentUserIds = (rows: Pick<Comment, 'user_id' | 'reply_user'>[]): number[] =>
  rows.flatMap((row) => [row.user_id, row.reply_user])

/** Comments with people loaded by the caller. */
export const commentsWithPeople = (comments: Comment[], people: Map<number, UserView>): CommentWithPeople[] =>
  comments.map((comment) => ({
    ...comment,
    user: people.get(comment.user_id) ?? null,
    reply: people.get(comment.reply_user) ?? null,
  }))

/** Comments with their authors and replied-to users, in the order of the rows. */
export async function withPeople(
  ctx: Context,
  rows: CommentRow[],
  viewerId: number,
): Promise<CommentWithPeople[]> {
  return commentsWithPeople(
    rows.map(commentView),
    await userViews(ctx, ctx.sql, commentUserIds(rows), viewerId),
  )
}

/** Comments by id, for lists of pins. Deleted ones are absent. */
export async function commentViews(
  ctx: Context,
  ids: number[],
  viewerId: number,
): Promise<Map<number, CommentWithPeople>> {
  if (ids.length === 0) return new Map()
  const views = await withPeople(ctx, await findComments(ctx.sql, ids), viewerId)
  return new Map(views.map((view) => [view.id, view]))
}

export const foundComment = (row: CommentRow) => ({
  id: row.id,
  user_id: row.user_id,
  target_user: row.target_user,
  reply_user: row.reply_user,
  body: row.body,
  resourceable: { type: row.commentable_type, id: row.commentable_id },
  created_at: zuluTime(row.created_at),
})
