import type { Db } from '#platform/database.ts'

/** Marks the held bounty of a locked question as paid; false when there is none to pay any more. */
export async function takeBounty(sql: Db, questionId: number): Promise<boolean> {
  const { count } = await sql`
    update questions set bounty = 'paid', updated_at = now() where id = ${questionId} and bounty = 'held'`
  return count > 0
}

/** Adopts an answer of an open question, which solves it; false when the question is not open. */
export async function adoptAnswer(sql: Db, questionId: number, answerId: number): Promise<boolean> {
  const [row] = await sql<[{ adopted: boolean }]>`
    with solved as (
      update questions set status = 1, updated_at = now() where id = ${questionId} and status = 0 returning id
    ),
    adopted as (
      update answers a set adoption = true, updated_at = now() from solved s
      where a.id = ${answerId} and a.question_id = s.id
    )
    select exists (select from solved) as adopted`
  return row.adopted
}

/** Adds what an expert earned in one of their topics to the ranking of experts. */
export const addExpertIncome = (sql: Db, questionId: number, userId: number, amount: number) => sql`
  update question_people set income = income + ${amount}
  where user_id = ${userId} and exists (
    select from question_topic_links l join question_topic_experts e on e.topic_id = l.topic_id
    where l.question_id = ${questionId} and e.user_id = ${userId}
  )`
