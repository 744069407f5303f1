import type { Db, Tx } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** The bounty of a locked question, held from here on. */
export const setBounty = (sql: Db, questionId: number, amount: number) => sql`
  update questions set amount = ${amount}, bounty = 'held', updated_at = now() where id = ${questionId}`

/** Marks the held bounty of a locked question as paid; false when there is none to pay any more. */
export async function takeBounty(sql: Db, questionId: number): Promise<boolean> {
  const { count } = await sql`
    update questions set bounty = 'paid', updated_at = now() where id = ${questionId} and bounty = 'held'`
  return count > 0
}

/** Adds what an expert earned in one of their topics to the ranking of experts. */
export const addExpertIncome = (sql: Db, questionId: number, userId: number, amount: number) => sql`
  update question_people set income = income + ${amount}
  where user_id = ${userId} and exists (
    select from question_topic_links l join question_topic_experts e on e.topic_id = l.topic_id
    where l.question_id = ${questionId} and e.user_id = ${userId}
  )`

/** The questions of somebody whose bounty nobody has earned yet, locked. */
export const lockHeldBounties = (tx: Tx, userId: number) => tx<
  Row<'questions', 'id' | 'amount' | 'subject'>[]
>`
  select id, amount, subject from questions where user_id = ${userId} and bounty = 'held' order by id for update`

/** Takes the bounty of locked questions away, and what goes with one. */
export const endBounties = (tx: Tx, ids: number[]) => tx`
  update questions set amount = 0, bounty = 'none', automaticity = false, look = false, updated_at = now()
  where id = any(${ids})`
