import { nameKey } from '#lib/text.ts'
import { attachmentView, getStoredNode } from '#modules/files/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tables, type Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { applicationDecided, noSuchQuestionTopic, proposedAlready, topicNameTaken } from '../errors.ts'
import {
  findTopic,
  insertTopic,
  isNameTaken,
  type QuestionTopicRow,
  type TopicValues,
  updateTopic,
} from './queries.ts'
import type { NewQuestionTopic, QuestionTopic, TopicProposal } from './schema.ts'

export function topicView(ctx: Context, row: QuestionTopicRow, { follow = false } = {}): QuestionTopic {
  const { has_follow, avatar, ...rest } = row
  return {
    ...rest,
    avatar: attachmentView(ctx, avatar)?.url ?? null,
    ...(follow ? { has_follow } : {}),
  }
}

const names = { question_topics_name_taken: topicNameTaken }

export async function requireTopic(sql: Db, id: number): Promise<void> {
  if (!(await findTopic(sql, id, 0))) throw noSuchQuestionTopic()
}

const takeAvatar = (tx: Db, node: string | null, ownerId: number) =>
  node === null ? null : getStoredNode(tx, node, { ownerId, field: 'avatar' })

export async function addQuestionTopic(
  tx: Tx,
  ownerId: number,
  { name, description, avatar }: NewQuestionTopic,
): Promise<number> {
  const values = {
    name,
    description: description ?? '',
    avatar: await takeAvatar(tx, avatar ?? null, ownerId),
  }
  return onConstraint(insertTopic(tx, values), names)
}

export async function changeQuestionTopic(
  tx: Tx,
  id: number,
  ownerId: number,
  { name, description, avatar }: Partial<NewQuestionTopic>,
): Promise<void> {
  const changes: Partial<TopicValues> = {}
  if (name !== undefined) changes.name = name
  if (description !== undefined) changes.description = description ?? ''
  if (avatar !== undefined) changes.avatar = await takeAvatar(tx, avatar, ownerId)
  await onConstraint(updateTopic(tx, id, changes), names)
}

const insertProposal = (sql: Db, proposal: { userId: number; name: string; description: string }) => sql`
  insert into question_topic_applications (user_id, name, name_key, description)
  values (${proposal.userId}, ${proposal.name}, ${nameKey(proposal.name)}, ${proposal.description})`

export type ProposalRow = Omit<Tables['question_topic_applications'], 'name_key'> & {
  state: 'pending' | 'passed' | 'rejected'
}

export const proposalColumns = (sql: Db) =>
  sql`id, user_id, name, description, state, mark, decided_by, decided_at, created_at`

async function closeProposal(
  sql: Db,
  decision: { id: number; state: 'passed' | 'rejected'; mark: string | null; decidedBy: number },
): Promise<ProposalRow | undefined> {
  const [row] = await sql<ProposalRow[]>`
    update question_topic_applications set state = ${decision.state}, mark = ${decision.mark},
      decided_by = ${decision.decidedBy}, decided_at = now()
    where id = ${decision.id} and state = 'pending'
    returning ${proposalColumns(sql)}`
  return row
}

export const findProposal = async (sql: Db, id: number): Promise<ProposalRow | undefined> =>
  (
    await sql<ProposalRow[]>`select ${proposalColumns(sql)} from question_topic_applications where id = ${id}`
  )[0]

export async function proposeTopic(sql: Db, userId: number, proposal: TopicProposal): Promise<void> {
  if (await isNameTaken(sql, proposal.name)) throw topicNameTaken()
  await onConstraint(insertProposal(sql, { userId, ...proposal }), {
    question_topic_applications_open: proposedAlready,
  })
}

export async function decideProposal(
  tx: Tx,
  id: number,
  { accept, mark, decidedBy }: { accept: boolean; mark: string | null; decidedBy: number },
): Promise<{ proposal: ProposalRow; topicId: number | null }> {
  const state = accept ? 'passed' : 'rejected'
  const proposal = await closeProposal(tx, { id, state, mark, decidedBy })
  if (!proposal) throw (await findProposal(tx, id)) ? applicationDecided() : notFound()
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
