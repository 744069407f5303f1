import { nameKey } from '#lib/text.ts'
import { getStoredNode } from '#modules/files/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { type Db, onConstraint, type Tx } from '#platform/database.ts'
import { apiError, invalidField, notFound } from '#platform/errors.ts'
import { noSuchQuestionTopic, topicNameTaken } from '../errors.ts'
import {
  closeProposal,
  findTopic,
  insertProposal,
  insertTopic,
  isNameTaken,
  isProposal,
  type ProposalRow,
  type TopicValues,
  updateTopic,
} from './queries.ts'
import type { NewQuestionTopic, TopicProposal } from './schema.ts'

const proposedAlready = apiError(
  422,
  'question_topic_proposed',
  'You have proposed this topic already.',
  '你已提交过该话题的申请。',
)
const decidedAlready = apiError(
  422,
  'application_decided',
  'This request has been decided on already.',
  '该申请已被处理。',
)

const requireName = (name: string) => {
  if (nameKey(name) === '')
    throw invalidField('name', { en: 'The name shows no character.', zh: '名称没有可见字符。' })
}
const names = { question_topics_name_taken: topicNameTaken }

/** 404 unless there is such a topic. */
export async function requireTopic(sql: Db, id: number): Promise<void> {
  if (!(await findTopic(sql, id, 0))) throw noSuchQuestionTopic()
}

const takeAvatar = (tx: Db, node: string | null, ownerId: number) =>
  node === null ? null : getStoredNode(tx, node, { ownerId, field: 'avatar' })

/** Makes a topic in the caller's transaction; `ownerId` has to own the picture. */
export async function addQuestionTopic(
  tx: Tx,
  ownerId: number,
  { name, description, avatar }: NewQuestionTopic,
): Promise<number> {
  requireName(name)
  const values = {
    name,
    description: description ?? '',
    avatar: await takeAvatar(tx, avatar ?? null, ownerId),
  }
  return onConstraint(insertTopic(tx, values), names)
}

/** Changes what is given of a topic; null clears the description or the picture. */
export async function changeQuestionTopic(
  tx: Tx,
  id: number,
  ownerId: number,
  { name, description, avatar }: Partial<NewQuestionTopic>,
): Promise<void> {
  const changes: Partial<TopicValues> = {}
  if (name !== undefined) {
    requireName(name)
    changes.name = name
  }
  if (description !== undefined) changes.description = description ?? ''
  if (avatar !== undefined) changes.avatar = await takeAvatar(tx, avatar, ownerId)
  await onConstraint(updateTopic(tx, id, changes), names)
}

/** Proposes a topic for administrators to decide on. */
export async function proposeTopic(sql: Db, userId: number, proposal: TopicProposal): Promise<void> {
  requireName(proposal.name)
  if (await isNameTaken(sql, proposal.name)) throw topicNameTaken()
  await onConstraint(insertProposal(sql, { userId, ...proposal }), {
    question_topic_applications_open: proposedAlready,
  })
}

/** Decides on a proposal, exactly once; an accepted one becomes a topic. Who proposed it is told. */
export async function decideProposal(
  tx: Tx,
  id: number,
  { accept, mark, decidedBy }: { accept: boolean; mark: string | null; decidedBy: number },
): Promise<{ proposal: ProposalRow; topicId: number | null }> {
  const state = accept ? 'passed' : 'rejected'
  const proposal = await closeProposal(tx, { id, state, mark, decidedBy })
  if (!proposal) throw (await isProposal(tx, id)) ? decidedAlready() : notFound()
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
