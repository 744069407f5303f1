import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { findAnswerRows } from '../answers/queries.ts'
import { answerViews } from '../answers/view.ts'
import { findQuestionRows } from '../queries.ts'
import { questionView } from '../view.ts'

const inOrder = <Row extends { id: number }>(rows: Row[], ids: number[]) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const peopleOf = (ctx: Context, rows: readonly { user_id: number }[], viewerId: number) =>
  userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )

export async function questionRecords(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findQuestionRows(ctx.sql, ids)
  const people = await peopleOf(ctx, rows, viewerId)
  const records = rows.map((row) => ({
    ...questionView(ctx, row, viewerId, people),
    bounty: row.bounty,
    user_id: row.user_id,
    user: people.get(row.user_id) ?? null,
  }))
  return inOrder(records, ids)
}

/** Includes anonymous authors and unpaid texts, because only moderators read these records. */
export async function answerRecords(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findAnswerRows(ctx.sql, ids)
  const [views, people] = await Promise.all([answerViews(ctx, rows, viewerId), peopleOf(ctx, rows, viewerId)])
  const records = views.map(({ could: _, ...view }, index) => {
    const { user_id, body, text_body } = rows[index]!
    return { ...view, user_id, body, text_body, user: people.get(user_id) ?? null }
  })
  return inOrder(records, ids)
}
