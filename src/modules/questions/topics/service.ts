import { getStoredNode } from '#modules/files/index.ts'
import { type Db, onConstraint, type Tx } from '#platform/database.ts'
import { noSuchQuestionTopic, topicNameTaken } from '../errors.ts'
import { findTopic, insertTopic, type TopicValues, updateTopic } from './queries.ts'
import type { NewQuestionTopic } from './schema.ts'

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
  if (name !== undefined) changes.name = name
  if (description !== undefined) changes.description = description ?? ''
  if (avatar !== undefined) changes.avatar = await takeAvatar(tx, avatar, ownerId)
  await onConstraint(updateTopic(tx, id, changes), names)
}
