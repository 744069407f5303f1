import type { ContentReaders, ContentRemoval } from '#contracts/content.ts'
import { cutCharacters, findMentions, grams, nameKey } from '#lib/text.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { findBlockers, findPeopleByKeys } from '#modules/accounts/index.ts'
import { attachFiles } from '#modules/files/index.ts'
import { likesWithUsers, listLatestLikes, setLikesOwner } from '#modules/likes/index.ts'
import { hasEndpointFor, notify, publishEvent, withdrawNotifications } from '#modules/notifications/index.ts'
import { cancelPinsOfContent } from '#modules/pinning/index.ts'
import { linkTopics, unlinkTopics } from '#modules/topics/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { batchWrites, statement, type Tx, transaction } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { countView } from '#platform/memory'
import { type FeedDraft, insertFeeds } from './drafts/queries.ts'
import { insertImages, insertVideo } from './media/queries.ts'
import { findFeedPrices } from './prices/queries.ts'
import { closeSalesOfFeed, freePart, requirePricing, setPricesOfFeed } from './prices/service.ts'
import {
  FEED_COMMENT,
  FEED_PIN,
  FEEDS,
  findDeleted,
  findFeedDetail,
  insertTopicLinks,
  markDeleted,
  markRestored,
  removeTopicLinks,
} from './queries.ts'
import {
  contentRequired,
  type FeedDetail,
  fileTwice,
  NewFeed,
  noSuchFeed,
  nothingToRepost,
  notYourFeed,
  placeIncomplete,
  repostIncomplete,
  unpaidFeed,
} from './schema.ts'
import { feedsWithPeople } from './view.ts'
import { feedViewCounts } from './views/queries.ts'

/** Number of searchable characters of a feed. */
const SEARCHED = 500
/** Length of a feed's excerpt in a notification. */
const QUOTED = 100

/** Searchable form of a text. */
export function searchableText(content: string | null): { key: string; grams: string[] } {
  const key = nameKey(cutCharacters(content ?? '', SEARCHED))
  return { key, grams: grams(key) }
}

/** `open` is the public part of the text. */
function draftOf(userId: number, body: NewFeed, open = body.feed_content ?? null): FeedDraft {
  const { feed_content = null, feed_latitude, feed_longtitude, feed_geohash } = body
  const hasImages = (body.images?.length ?? 0) > 0
  if (feed_content === null && !hasImages && !body.video) throw contentRequired()
  const place = [feed_latitude, feed_longtitude, feed_geohash]
  if (new Set(place.map((part) => part === undefined)).size > 1) throw placeIncomplete()
  if ((body.repostable_type === undefined) !== (body.repostable_id === undefined)) throw repostIncomplete()
  return {
    userId,
    content: feed_content,
    from: body.feed_from,
    mark: String(body.feed_mark),
    latitude: feed_latitude ?? null,
    longtitude: feed_longtitude ?? null,
    geohash: feed_geohash ?? null,
    repostableType: body.repostable_type ?? null,
    repostableId: body.repostable_id ?? null,
    hasImages,
    hasVideo: body.video !== undefined,
    hasTopics: (body.topics?.length ?? 0) > 0,
    hasPrice: (body.amount ?? 0) > 0 || (body.images ?? []).some(({ amount = 0 }) => amount > 0),
    ...searchableText(open),
  }
}

/** Inserts feeds without dependent rows. Batches concurrent feeds of one author into one statement. */
const insertAlone = batchWrites((sql, drafts: FeedDraft[]) => statement(sql, (db) => insertFeeds(db, drafts)))

/**
 * Publishes a feed. A repeated mark of its author returns the id of the first feed and ignores the rest of
 * the request, because its pictures are attached by now.
 */
export async function publishFeed(
  ctx: Context,
  userId: number,
  input: NewFeed,
  reposts: ContentReaders,
): Promise<number> {
  const body = await screenWords(ctx, input, NewFeed, ['feed_content'])
  const open = (body.amount ?? 0) > 0 ? await freePart(ctx, body.feed_content) : (body.feed_content ?? null)
  const draft = draftOf(userId, body, open)
  if (draft.hasPrice) await requirePricing(ctx, body)
  const { images = [], video } = body
  const topicIds = [
    ...new Set((body.topics ?? []).map((topic) => (typeof topic === 'object' ? topic.id : topic))),
  ]
  const names = findMentions(draft.content ?? '').map(nameKey)
  if (new Set(images.map(({ id }) => id)).size < images.length) throw fileTwice()
  const listened = await hasEndpointFor(ctx, ctx.sql, 'feed.created')
  const alone =
    !listened &&
    !draft.hasPrice &&
    images.length + topicIds.length + names.length === 0 &&
    !video &&
    draft.repostableType === null
  if (alone) return (await insertAlone(ctx.sql, `${userId}`, draft)).id

  return transaction(ctx.sql, async (tx) => {
    const [{ id, made }] = await insertFeeds(tx, [draft])
    if (!made) return id
    const { repostableType, repostableId } = draft
    if (repostableType !== null && repostableId !== null) {
      const seen = await reposts[repostableType]?.visible(tx, [repostableId], userId)
      if (!seen?.has(repostableId)) throw nothingToRepost()
    }
    if (images.length > 0) await attachImages(tx, userId, id, images)
    if (video) await attachVideo(tx, userId, id, video)
    if (draft.hasPrice) await setPricesOfFeed(tx, userId, id, body)
    if (topicIds.length > 0) {
      await linkTopics(tx, { topicIds, userId })
      await insertTopicLinks(tx, id, topicIds)
    }
    const mentioned = names.length > 0 ? await findPeopleByKeys(tx, names) : []
    if (mentioned.length > 0) {
      if ((await findBlockers(tx, userId, mentioned)).size > 0) throw blocked()
      await notify(tx, {
        type: 'at',
        recipients: mentioned,
        senderId: userId,
        cause: { type: FEEDS, id },
        data: { resource: { type: FEEDS, id }, contents: cutCharacters(open ?? '', QUOTED) },
      })
    }
    await publishEvent(ctx, tx, 'feed.created', { id, user_id: userId })
    return id
  })
}

/** Copies a group post to its author's feed, in the publishing transaction. */
export async function feedPost(
  ctx: Context,
  tx: Tx,
  post: { userId: number; postId: number; title: string; from: number },
): Promise<void> {
  const { userId, postId, title, from } = post
  const draft = draftOf(userId, {
    feed_content: title,
    feed_from: from,
    feed_mark: `group-post-${postId}`,
    repostable_type: 'group-posts',
    repostable_id: postId,
  })
  const [{ id, made }] = await insertFeeds(tx, [draft])
  if (made) await publishEvent(ctx, tx, 'feed.created', { id, user_id: userId })
}

async function attachImages(
  tx: Tx,
  ownerId: number,
  feedId: number,
  images: { id: number }[],
): Promise<void> {
  const ids = images.map(({ id }) => id)
  const use = { ids, ownerId, channel: 'feed:image', raw: feedId, field: 'images', kind: 'image' as const }
  const files = await attachFiles(tx, use)
  await insertImages(
    tx,
    feedId,
    ids.map((file) => ({ file, size: files.get(file)!.size, mime: files.get(file)!.mime })),
  )
}

async function attachVideo(
  tx: Tx,
  ownerId: number,
  feedId: number,
  { video_id, cover_id }: { video_id: number; cover_id: number },
): Promise<void> {
  const use = { ownerId, raw: feedId }
  const videos = await attachFiles(tx, {
    ...use,
    ids: [video_id],
    channel: 'feed:video',
    field: 'video.video_id',
    kind: 'video',
  })
  await attachFiles(tx, {
    ...use,
    ids: [cover_id],
    channel: 'feed:video:cover',
    field: 'video.cover_id',
    kind: 'image',
  })
  const { width, height } = videos.get(video_id)!
  await insertVideo(tx, feedId, { video: video_id, cover: cover_id, width, height })
}

/** Deletes a feed as its author or a holder of the ability (feeds-26). A second call throws 404. */
export async function removeFeed(ctx: Context, tx: Tx, feedId: number, userId: number): Promise<void> {
  const ability: Ability = '[feed] Delete Feed'
  const anybodys = await hasAbility(ctx, userId, ability)
  await deleteFeed(tx, feedId, { userId, anybodys })
  await publishEvent(ctx, tx, 'feed.deleted', { id: feedId, deleted_by: userId })
}

/**
 * Deletes a feed in the caller's transaction: removes it from lists, topics and counters, and refunds pending
 * pins. Comments and likes stay, but the likes no longer count for its author (feeds-26).
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
  if (likes > 0) await setLikesOwner(tx, FEEDS, feedId, { from: author, to: 0 })
  const topicIds = await removeTopicLinks(tx, feedId)
  await unlinkTopics(tx, { topicIds, userId: author })
  await withdrawNotifications(tx, { type: 'at', cause: { type: FEEDS, id: feedId } })
}

/** Restores a deleted feed to lists and counters, in the caller's transaction. Its topics are lost. */
export async function restoreFeed(ctx: Context, tx: Tx, feedId: number): Promise<void> {
  const deleted = await findDeleted(tx, feedId)
  const price = (await findFeedPrices(tx, [feedId], 0)).get(feedId)
  const open = price ? await freePart(ctx, deleted?.content) : deleted?.content
  const restored = deleted && (await markRestored(tx, feedId, searchableText(open ?? null)))
  if (!restored) throw noSuchFeed()
  await closeSalesOfFeed(tx, feedId, false)
  await setLikesOwner(tx, FEEDS, feedId, { from: 0, to: restored.author })
}

/** Number of likes with a single feed (feeds-7). */
const LIKES = 8

/** A single feed, counted as a view. Throws 403 with the price for an unpaid one. */
export async function getFeed(ctx: Context, viewerId: number, feedId: number): Promise<FeedDetail> {
  const [row, likes] = await Promise.all([
    findFeedDetail(ctx.sql, feedId, viewerId),
    listLatestLikes(ctx.sql, FEEDS, [feedId], LIKES),
  ])
  if (!row) throw noSuchFeed()
  const viewed = row.has_price ? (await findFeedPrices(ctx.sql, [feedId], viewerId)).get(feedId) : undefined
  if (viewed && !viewed.paid) throw unpaidFeed({ node: viewed.id, amount: viewed.amount })
  countView(() => feedViewCounts(ctx).add([feedId]))
  const likers = likes.map(({ user_id }) => user_id)
  const { items, people } = await feedsWithPeople(ctx, [row], viewerId, likers)
  return { ...items[0]!, likes: likesWithUsers(likes, people), reward: row.reward }
}

/** Removes a feed as a moderator. */
export const feedRemoval: ContentRemoval = {
  ability: 'admin: feeds',
  async remove(ctx, tx, id, moderatorId) {
    await deleteFeed(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'feed.deleted', { id, deleted_by: moderatorId })
  },
}
