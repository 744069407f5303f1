import type { ContentRemoval } from '#contracts/content.ts'
import type { References } from '#lib/markup/references.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { likesWithUsers, listLatestLikes, transferSomeLikes } from '#modules/likes/index.ts'
import { withdrawContent } from '#modules/notifications/index.ts'
import { cancelPinsOfContent } from '#modules/pinning/index.ts'
import { listTopicNames, unlinkTopics } from '#modules/topics/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { countView } from '#platform/memory'
import { feedViewCounts } from './counters.ts'
import { foreseePeople, rememberPeople } from './foreseen.ts'
import { closeSalesOfFeed, findFeedPrices, freePart } from './prices.ts'
import { searchableText } from './publishing.ts'
import {
  FEED_COMMENT,
  FEED_PIN,
  FEEDS,
  findDeleted,
  findFeedDetail,
  findOwner,
  isClosedAuthor,
  listTopicLinks,
  markDeleted,
  markRestored,
  removeTopicLinks,
} from './queries.ts'
import { type FeedDetail, noSuchFeed, notYourFeed, unpaidFeed } from './schema.ts'
import { feedsWithPeople } from './view.ts'

export async function removeFeed(ctx: Context, tx: Tx, feedId: number, userId: number): Promise<void> {
  const ability: Ability = '[feed] Delete Feed'
  const anybodys = await hasAbility(ctx, userId, ability)
  await deleteFeed(tx, feedId, { userId, anybodys })
  const isClosed = await isClosedAuthor(tx, userId)
  await publishEvent(ctx, tx, 'feed.deleted', { id: feedId, ...(isClosed ? {} : { deleted_by: userId }) })
}

/**
 * Removes a feed from lists and counters, refunds pending pins, and withdraws unread notifications about it. Comments
 * and likes stay (feeds-26).
 */
export async function deleteFeed(
  tx: Tx,
  feedId: number,
  by: { userId: number; anybodys: boolean },
): Promise<void> {
  const { found, removed, author, likes } = await markDeleted(tx, feedId, by)
  if (!found) throw noSuchFeed()
  if (!removed) throw notYourFeed()
  await cancelPinsOfContent(tx, [FEED_PIN, FEED_COMMENT], feedId)
  await closeSalesOfFeed(tx, feedId, true)
  if (likes > 0) await transferLikes(tx, feedId, { from: author, to: 0 })
  const topicIds = await removeTopicLinks(tx, feedId)
  await unlinkTopics(tx, { topicIds, userId: author })
  await withdrawContent(tx, { type: FEEDS, ids: [feedId] })
}

/** Transfers the newest likes in the caller's transaction, which locks the feed, and the others in a job. */
async function transferLikes(tx: Tx, feedId: number, owners: { from: number; to: number }): Promise<void> {
  const last = await transferSomeLikes(tx, { type: FEEDS, id: feedId }, owners)
  if (last !== undefined) await addJob(tx, 'transfer_feed_likes', { id: feedId })
}

/**
 * Transfers all likes of a feed to its author, or to no owner if the feed is deleted. Each batch reads the state of
 * the feed under a lock, so that jobs of a deletion and a restoration may run in any order.
 */
export async function transferRemainingLikes(
  ctx: Context,
  { id }: { id: number },
  signal?: AbortSignal,
): Promise<void> {
  const transferBefore = (before: number | undefined) =>
    transaction(ctx.sql, async (tx) => {
      const feed = await findOwner(tx, id)
      if (!feed) return undefined
      const { author, deleted } = feed
      const owners = deleted ? { from: author, to: 0 } : { from: 0, to: author }
      return transferSomeLikes(tx, { type: FEEDS, id }, { ...owners, before })
    })
  for (let last = await transferBefore(undefined); last !== undefined; last = await transferBefore(last))
    signal?.throwIfAborted()
}

export async function restoreFeed(ctx: Context, tx: Tx, feedId: number): Promise<void> {
  const deleted = await findDeleted(tx, feedId)
  const price = (await findFeedPrices(tx, [feedId], 0)).get(feedId)
  const open = price ? await freePart(ctx, deleted?.content) : deleted?.content
  const restored = deleted && (await markRestored(tx, feedId, searchableText(open ?? null)))
  if (!restored) throw noSuchFeed()
  await closeSalesOfFeed(tx, feedId, false)
  await transferLikes(tx, feedId, { from: 0, to: restored.author })
}

const LIKES = 8

/** Reads a feed and counts a view. Throws 403 with the price when the viewer has not paid. */
export async function getFeed(ctx: Context, viewerId: number, feedId: number): Promise<FeedDetail> {
  const key = `feed ${feedId}`
  const foreseen = foreseePeople(ctx, key, viewerId)
  const [row, likes] = await Promise.all([
    findFeedDetail(ctx.sql, feedId, viewerId),
    listLatestLikes(ctx.sql, { type: FEEDS, contentIds: [feedId], each: LIKES, viewerId }),
  ])
  if (!row) throw noSuchFeed()
  const viewed = row.has_price ? (await findFeedPrices(ctx.sql, [feedId], viewerId)).get(feedId) : undefined
  if (viewed && !viewed.paid) throw unpaidFeed({ node: viewed.id, amount: viewed.amount })
  countView(() => feedViewCounts(ctx).add([feedId]))
  const likers = likes.map(({ user_id }) => user_id)
  const { items, people } = await feedsWithPeople(ctx, [row], viewerId, likers, {
    foreseen,
    onPeople: (ids) => rememberPeople(ctx, key, ids),
  })
  const [item] = items
  if (!item) throw noSuchFeed()
  return { ...item, likes: likesWithUsers(likes, people), reward: row.reward }
}

export const feedRemoval: ContentRemoval = {
  ability: 'admin: feeds',
  ofAuthor: (sql, userId) => sql`select id from feeds where user_id = ${userId} and deleted_at is null`,
  async remove(ctx, tx, id, moderatorId) {
    await deleteFeed(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'feed.deleted', { id, deleted_by: moderatorId })
  },
}

/** Topics that texts of feeds may name, by their name in the text and by their current name. */
export async function findTopicReferences(
  sql: Db,
  texts: { type: string; id: number }[],
): Promise<References[]> {
  const feedIds = texts.flatMap(({ type, id }) => (type === FEEDS ? [id] : []))
  const links = feedIds.length > 0 ? await listTopicLinks(sql, feedIds) : []
  const ids = [...new Set(links.map(({ topic_id }) => topic_id))]
  const topics = new Map(
    ids.length > 0 ? (await listTopicNames(sql, ids)).map((topic) => [topic.id, topic]) : [],
  )
  const linksOf = Map.groupBy(links, ({ feed_id }) => feed_id)
  return texts.map(
    ({ id }) =>
      new Map(
        (linksOf.get(id) ?? []).flatMap(({ topic_id, name_key }) => {
          const topic = topics.get(topic_id)
          if (!topic) return []
          const reference = { id: topic.id, name: topic.name }
          return [topic.key, name_key ?? topic.key].map((key) => [key, reference] as const)
        }),
      ),
  )
}
