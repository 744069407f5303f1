import { notify } from '#modules/notifications/index.ts'
import { type Db, onConstraint, type Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { applicationDecided, proposedAlready, topicNameTaken } from '../../errors.ts'
import { isNameTaken } from '../queries.ts'
import type { TopicProposal } from '../schema.ts'
import { addQuestionTopic } from '../service.ts'
import { closeProposal, insertProposal, isProposal, type ProposalRow } from './queries.ts'

/** Proposes a topic to the administrators. */
export async function proposeTopic(sql: Db, userId: number, proposal: TopicProposal): Promise<void> {
  if (await isNameTaken(sql, proposal.name)) throw topicNameTaken()
  await onConstraint(insertProposal(sql, { userId, ...proposal }), {
    question_topic_applications_open: proposedAlready,
  })
}

/** Decides a proposal once and notifies its proposer. An accepted one creates a topic. */
export async function decideProposal(
  tx: Tx,
  id: number,
  { accept, mark, decidedBy }: { accept: boolean; mark: string | null; decidedBy: number },
): Promise<{ proposal: ProposalRow; topicId: number | null }> {
  const state = accept ? 'passed' : 'rejected'
  const proposal = await closeProposal(tx, { id, state, mark, decidedBy })
  if (!proposal) throw (await isProposal(tx, id)) ? applicationDecided() : notFound()
  const { name, description } = proposal
  const topicId = accept ? await addQuestionTopic(tx, decidedBy, { name, description }) : null
  await notify(tx, {
    type: 'system',
    recipients: [proposal.user_id],
    senderId: 0,
    cause: { type: 'question-topic-applications', id },
    data: {
      type: accept ? 'qa:question-topic:accept' : 'qa:question-topic:reject',
      state,
      resource: { type: 'question-topics', id: topicId ?? 0 },
      topic_application: { id, name, mark },
    },
  })
  return { proposal, topicId }
}
