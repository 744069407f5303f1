import { nameKey } from '#lib/text.ts'
import type { Db, Tables } from '#platform/database'

/** Inserts a proposal. Violates `question_topic_applications_open` when an equal one is pending. */
export const insertProposal = (
  sql: Db,
  proposal: { userId: number; name: string; description: string },
) => sql`
  insert into question_topic_applications (user_id, name, name_key, description)
  values (${proposal.userId}, ${proposal.name}, ${nameKey(proposal.name)}, ${proposal.description})`

export type ProposalRow = Omit<Tables['question_topic_applications'], 'name_key'> & {
  state: 'pending' | 'passed' | 'rejected'
}

/** Decides a pending proposal once. Returns undefined when it is not pending. */
export async function closeProposal(
  sql: Db,
  decision: { id: number; state: 'passed' | 'rejected'; mark: string | null; decidedBy: number },
): Promise<ProposalRow | undefined> {
  const [row] = await sql<ProposalRow[]>`
    update question_topic_applications set state = ${decision.state}, mark = ${decision.mark},
      decided_by = ${decision.decidedBy}, decided_at = now()
    where id = ${decision.id} and state = 'pending'
    returning id, user_id, name, description, state, mark, decided_by, decided_at, created_at`
  return row
}

export const isProposal = async (sql: Db, id: number): Promise<boolean> =>
  (await sql`select from question_topic_applications where id = ${id}`).length > 0
