import type { ContentRemoval } from '#contracts/content.ts'
import { zuluTime } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import {
  type AttachmentView,
  attachmentView,
  fileNotUsable,
  findNode,
  getStoredNode,
  type StoredNode,
} from '#modules/files/index.ts'
import { publishEvent, withdrawContent } from '#modules/notifications/index.ts'
import type { SettingChecks } from '#modules/settings/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { batchWrites, type Db, onConstraint, statement, transaction } from '#platform/database'
import { forbidden } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import {
  deleteTopic,
  findTopicOwner,
  insertFollowers,
  insertTopic,
  type NewFollower,
  type TopicChanges,
  type TopicDetailRow,
  type TopicOwnerRow,
  type TopicRow,
  type TopicViewer,
  updateTopic,
  visibleTopics,
} from './queries.ts'
import {
  NewTopic,
  nameTaken,
  noSuchTopic,
  type TopicDetail,
  type TopicItem,
  type TopicMade,
  TopicPatch,
  type TopicStatus,
  unknownTopic,
} from './schema.ts'
import { readTopicSettings, type TopicSettings } from './settings.ts'

/** Counts a feed in those of its topics that the author may see, and returns their ids. */
async function addPost(sql: Db, topicIds: number[], userId: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with topic as (
      ${visibleTopics(sql, { id: userId, reviewer: false })} and t.id = any(${topicIds}) order by t.id for key share
    ),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, feeds_count, participated_at)
      select id, ${userId}, 1, now() from topic order by id
      on conflict (topic_id, user_id) do update set feeds_count = l.feeds_count + 1, participated_at = excluded.participated_at
      returning topic_id
    ),
    locked as (
      select topic_id from feed_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    ),
    counted as (
      update feed_topic_counts c set feeds_count = feeds_count + 1 from locked where c.topic_id = locked.topic_id
    )
    select id from topic`
  return rows.map(({ id }) => id)
}

/** Subtracts a feed from its topics. An author without another feed in a topic stops being a participant. */
async function removePost(sql: Db, topicIds: number[], userId: number): Promise<void> {
  await sql`
    with topic as (select id from feed_topics where id = any(${topicIds}) order by id for key share),
    mine as (
      select topic_id from feed_topic_users
      where topic_id in (select id from topic) and user_id = ${userId} and feeds_count > 0
      order by topic_id for update
    ),
    link as (
      update feed_topic_users l
      set feeds_count = feeds_count - 1, participated_at = case when feeds_count > 1 then participated_at end
      from mine where l.topic_id = mine.topic_id and l.user_id = ${userId}
      returning l.topic_id
    ),
    locked as (
      select topic_id from feed_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    )
    update feed_topic_counts c set feeds_count = greatest(feeds_count - 1, 0) from locked where c.topic_id = locked.topic_id`
}

/**
 * Counts a new feed in its topics. Throws 422 on `topics` when a topic is unknown or hidden from the author.
 */
export async function linkTopics(
  tx: Db,
  { topicIds, userId }: { topicIds: number[]; userId: number },
): Promise<void> {
  const wanted = new Set(topicIds)
  if (wanted.size === 0) return
  const linked = await addPost(tx, [...wanted], userId)
  if (linked.length < wanted.size) throw unknownTopic()
}

/** Reverts `linkTopics` for a deleted feed. `userId` is the feed's author. */
export async function unlinkTopics(
  tx: Db,
  { topicIds, userId }: { topicIds: number[]; userId: number },
): Promise<void> {
  if (topicIds.length > 0) await removePost(tx, [...new Set(topicIds)], userId)
}

const DEFAULT_LOGO = 'feed:topic:default-logo'

const cacheOf = defineCache<{ logo: StoredNode | undefined }>('topic-logos', { max: 4, ttlMs: 60_000 })

/** Returns the picture of topics without one. Keeps its measures by node, which never change. */
async function defaultLogo(ctx: Context): Promise<AttachmentView | null> {
  const node = (await readTopicSettings(ctx))[DEFAULT_LOGO]
  if (node === null) return null
  const { logo } = await cacheOf(ctx).get(node, async () => ({ logo: await findNode(ctx.sql, node) }))
  return attachmentView(ctx, logo ?? null)
}

/** Accepts a picture that the administrator stored, and keeps its file from the cleanup. */
export const topicSettings: SettingChecks<TopicSettings> = {
  errors: [fileNotUsable],
  async check(ctx, actorId, changes, current) {
    const node = changes[DEFAULT_LOGO]
    if (node && node !== current[DEFAULT_LOGO])
      await getStoredNode(ctx.sql, node, { ownerId: actorId, field: DEFAULT_LOGO })
  },
}

export async function topicItems(
  ctx: Context,
  rows: TopicRow[],
  viewer: { id: number },
): Promise<TopicItem[]> {
  const standard = await defaultLogo(ctx)
  return rows.map(({ has_followed, logo, created_at, ...rest }) => ({
    ...rest,
    logo: attachmentView(ctx, logo) ?? standard,
    created_at: zuluTime(created_at),
    ...(viewer.id > 0 ? { has_followed } : {}),
  }))
}

export async function topicDetail(
  ctx: Context,
  row: TopicDetailRow,
  viewer: { id: number },
): Promise<TopicDetail> {
  const { has_followed, logo, ...rest } = row
  return {
    ...rest,
    logo: attachmentView(ctx, logo) ?? (await defaultLogo(ctx)),
    ...(viewer.id > 0 ? { has_followed } : {}),
  }
}

const takeLogo = async (tx: Db, node: string | null, ownerId: number): Promise<StoredNode | null> =>
  node === null ? null : getStoredNode(tx, node, { ownerId, field: 'logo' })

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

export async function createTopic(ctx: Context, creatorId: number, input: NewTopic): Promise<TopicMade> {
  const topic = await screenWords(ctx, input, NewTopic, ['name', 'desc'])
  const status = (await readTopicSettings(ctx))['feed:topic:need-review'] ? 'waiting' : 'passed'
  return transaction(ctx.sql, async (tx) => {
    const id = await addTopic(tx, { creatorId, status, topic })
    const author = status === 'passed' ? { user_id: creatorId } : {}
    await publishEvent(ctx, tx, 'topic.created', { id, ...author, status })
    return { id, need_review: status === 'waiting' }
  })
}

/** Changes the given fields. Null clears the description or the logo, and `userId` must own a new logo. */
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

export async function editTopic(ctx: Context, id: number, userId: number, patch: TopicPatch): Promise<void> {
  const screened = await screenWords(ctx, patch, TopicPatch, ['desc'])
  await transaction(ctx.sql, (tx) => changeTopic(tx, id, userId, screened))
}

/**
 * Repeats a lookup as a reviewer only if the viewer's own lookup finds no topic, so that most requests take
 * one statement.
 */
export async function findForViewerOrReviewer<T>(
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

const addFollower = batchWrites((sql, followers: NewFollower[]) =>
  statement(sql, (db) => insertFollowers(db, followers)),
)

/** Number of batch queues for follows. A locked topic delays only follows in the same queue. */
const SHARES = 4

/** Batches concurrent follows into one statement. Throws 404 for an unknown or hidden topic. */
export const followTopic = (ctx: Context, topicId: number, viewerId: number): Promise<boolean> =>
  findForViewerOrReviewer(ctx, viewerId, (viewer) =>
    addFollower(ctx.sql, String(topicId % SHARES), { topicId, viewer }),
  )

/** Throws 404 when the topic is unknown or hidden from the viewer (topics-6). */
export const requireVisibleTopic = (ctx: Context, id: number, viewerId: number): Promise<TopicOwnerRow> =>
  findForViewerOrReviewer(ctx, viewerId, (viewer) => findTopicOwner(ctx.sql, id, viewer))

/**
 * Throws 404 for an unknown or hidden topic, and 403 unless the viewer created the topic or has the ability to
 * update topics (topics-9).
 */
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

export const topicRemoval: ContentRemoval = {
  ability: 'admin: feed topics',
  async remove(ctx, tx, id, moderatorId) {
    const { count } = await deleteTopic(tx, id)
    if (count === 0) throw noSuchTopic()
    await withdrawContent(tx, { type: 'feed-topics', ids: [id] })
    await publishEvent(ctx, tx, 'topic.deleted', { id, deleted_by: moderatorId })
  },
}
