import type { Db, Tables } from '#platform/database'

export type ApplicationRow = Tables['question_applications'] & {
  state: 'pending' | 'passed' | 'rejected' | 'cancelled'
}

/** Inserts a request. Violates `question_applications_open` while one is pending. */
export async function insertApplication(
  sql: Db,
  application: { questionId: number; userId: number; amount: number },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into question_applications (question_id, user_id, amount)
    values (${application.questionId}, ${application.userId}, ${application.amount}) returning id`
  return row.id
}

/** Cancels pending requests of a deleted question. Returns the fees to refund. */
export const cancelApplications = (sql: Db, questionId: number) => sql<{ id: number; amount: number }[]>`
  update question_applications set state = 'cancelled', decided_at = now()
  where question_id = ${questionId} and state = 'pending' returning id, amount`

/** Decides a pending request once. Returns undefined when it is not pending. */
export async function closeApplication(
  sql: Db,
  decision: { id: number; state: 'passed' | 'rejected'; decidedBy: number },
): Promise<ApplicationRow | undefined> {
  const [row] = await sql<ApplicationRow[]>`
    update question_applications set state = ${decision.state}, decided_by = ${decision.decidedBy}, decided_at = now()
    where id = ${decision.id} and state = 'pending' returning *`
  return row
}

export const findApplication = async (sql: Db, id: number) =>
  (await sql<ApplicationRow[]>`select * from question_applications where id = ${id}`)[0]
