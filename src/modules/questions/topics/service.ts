import { attachmentView, getStoredNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx } from '#platform/database'
import { noSuchQuestionTopic, topicNameTaken } from '../errors.ts'
import { findTopic, insertTopic, type QuestionTopicRow, type TopicValues, updateTopic } from './queries.ts'
import type { NewQuestionTopic, QuestionTopic } from './schema.ts'

/** A topic in a list. `has_follow` is present on request only. */
export function topicView(ctx: Context, row: QuestionTopicRow, { follow = false } = {}): QuestionTopic {
  const { has_follow, avatar, ...rest } = row
  return {
    ...rest,
    avatar: attachmentView(ctx, avatar)?.url ?? null,
    ...(follow ? { has_follow } : {}),
  }
}

const names = { question_topics_name_taken: topicNameTaken }

/** Throws 404 when the topic does not exist. */
export async function requireTopic(sql: Db, id: number): Promise<void> {
  if (!(await findTopic(sql, id, 0))) throw noSuchQuestionTopic()
}

const takeAvatar = (tx: Db, node: string | null, ownerId: number) =>
  node === null ? null : getStoredNode(tx, node, { ownerId, field: 'avatar' })

/** Creates a topic in the caller's transaction. `ownerId` must own the picture. */
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

/** Changes the given fields of a topic. Null clears the description or the picture. */
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
