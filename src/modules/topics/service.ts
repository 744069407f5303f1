import { hasAbility } from '#modules/abilities/index.ts'
import { getStoredNode, type StoredNode } from '#modules/files/index.ts'
import { publishEvent, takeBack } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Removal } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { together } from '#platform/database/together.ts'
import { type Db, onConstraint, statement, transaction } from '#platform/database.ts'
import { forbidden } from '#platform/errors.ts'
import { nameTaken, noSuchTopic } from './errors.ts'
import { insertFollowers, type NewFollower } from './people/queries.ts'
import {
  deleteTopic,
  findTopicOwner,
  insertTopic,
  type TopicChanges,
  type TopicOwnerRow,
  type TopicViewer,
  updateTopic,
} from './queries.ts'
import { NewTopic, type TopicMade, TopicPatch, type TopicStatus } from './schema.ts'

const takeLogo = async (tx: Db, node: string | null, ownerId: number): Promise<StoredNode | null> =>
  node === null ? null : getStoredNode(tx, node, { ownerId, field: 'logo' })

/** Makes a topic of a status in the caller's transaction; its creator follows it and owns the logo. */
export async function addTopic(
  tx: Db,
  { creatorId, status, topic }: { creatorId: number; status: TopicStatus; topic: NewTopic },
): Promise<number> {
  const { name, desc, logo } = topic
  const values = {
    name,
    desc: desc ?? '',
    logo: await takeLogo(tx, logo ?? null, creatorId),
    creatorId,
    status,
  }
  return onConstraint(insertTopic(tx, values), { feed_topics_name_taken: nameTaken })
}

/** Makes a topic; with the review switch on it waits for a reviewer. */
export async function createTopic(ctx: Context, creatorId: number, input: NewTopic): Promise<TopicMade> {
  const topic = await screen(ctx, input, NewTopic, ['name', 'desc'])
  const status = (await readSettings(ctx))['feed:topic:need-review'] ? 'waiting' : 'passed'
  return transaction(ctx.sql, async (tx) => {
    const id = await addTopic(tx, { creatorId, status, topic })
    await publishEvent(ctx, tx, 'topic.created', { id, user_id: creatorId, status })
    return { id, need_review: status === 'waiting' }
  })
}

/** Changes what is given; null clears the description or the logo. `userId` has to own a new logo. */
export async function changeTopic(
  tx: Db,
  id: number,
  userId: number,
  { name, desc, logo }: TopicPatch & { name?: string },
): Promise<void> {
  const changes: TopicChanges = {}
  if (name !== undefined) changes.name = name
  if (desc !== undefined) changes.desc = desc ?? ''
  if (logo !== undefined) changes.logo = await takeLogo(tx, logo, userId)
  await onConstraint(updateTopic(tx, id, changes), { feed_topics_name_taken: nameTaken })
}

/** Changes a topic for somebody who may; it is not reviewed again (topics-9). */
export async function editTopic(ctx: Context, id: number, userId: number, patch: TopicPatch): Promise<void> {
  const screened = await screen(ctx, patch, TopicPatch, ['desc'])
  await transaction(ctx.sql, (tx) => changeTopic(tx, id, userId, screened))
}

/**
 * What `find` finds for the viewer. Whether they are a reviewer is asked only when they would otherwise get 404, so that
 * the usual case costs one statement.
 */
export async function findForViewer<T>(
  ctx: Context,
  viewerId: number,
  find: (viewer: TopicViewer) => Promise<T | undefined | false>,
): Promise<T> {
  const found = await find({ id: viewerId, reviewer: false })
  if (found) return found
  if (viewerId > 0 && (await hasAbility(ctx, viewerId, 'admin: feed topics'))) {
    const foundByReviewer = await find({ id: viewerId, reviewer: true })
    if (foundByReviewer) return foundByReviewer
  }
  throw noSuchTopic()
}

const addFollower = together((sql, followers: NewFollower[]) =>
  statement(sql, (db) => insertFollowers(db, followers)),
)

/** Who waits for a topic that is locked keeps only those of its share of the topics waiting. */
const SHARES = 4

/**
 * Lets somebody follow a topic; 404 where there is none for them. Those who come while others are written are written by one
 * statement.
 */
export const followTopic = (ctx: Context, topicId: number, viewerId: number): Promise<boolean> =>
  findForViewer(ctx, viewerId, (viewer) =>
    addFollower(ctx.sql, String(topicId % SHARES), { topicId, viewer }),
  )

/** The topic's id, name and creator; 404 for those from whom it is hidden (topics-6). */
export const requireVisibleTopic = (ctx: Context, id: number, viewerId: number): Promise<TopicOwnerRow> =>
  findForViewer(ctx, viewerId, (viewer) => findTopicOwner(ctx.sql, id, viewer))

/** The same, and 403 for those who may not change it: all but its creator and holders of the ability (topics-9). */
export async function requireEditableTopic(
  ctx: Context,
  id: number,
  viewerId: number,
): Promise<TopicOwnerRow> {
  const topic = await requireVisibleTopic(ctx, id, viewerId)
  if (topic.creator_user_id !== viewerId && !(await hasAbility(ctx, viewerId, 'admin: update feed topic')))
    throw forbidden()
  return topic
}

/** Removes a topic; its feeds stay. */
export const topicRemoval: Removal = {
  ability: 'admin: feed topics',
  async remove(ctx, tx, id, moderatorId) {
    const { count } = await deleteTopic(tx, id)
    if (count === 0) throw noSuchTopic()
    await takeBack(tx, { cause: { type: 'feed-topics', id } })
    await publishEvent(ctx, tx, 'topic.deleted', { id, deleted_by: moderatorId })
  },
}
