import { userViews } from '#modules/accounts/index.ts'
import { answerRecords, questionRecords } from '#modules/questions/index.ts'
import type { Context } from '#platform/context.ts'

const inOrder = <Row extends { id: number }>(rows: Row[], ids: number[]) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Questions with who asked, in the order of the ids. */
export const moderatedQuestions = async (ctx: Context, ids: number[], viewerId: number) =>
  inOrder(await questionRecords(ctx, ids, viewerId), ids)

/** Answers with their authors and texts, in the order of the ids. */
export const moderatedAnswers = async (ctx: Context, ids: number[], viewerId: number) =>
  inOrder(await answerRecords(ctx, ids, viewerId), ids)

/** Rows with the person of each. */
export async function withUser<Row extends { user_id: number }>(ctx: Context, rows: Row[], viewerId: number) {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )
  return rows.map((row) => ({ ...row, user: people.get(row.user_id) ?? null }))
}
