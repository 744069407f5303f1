import { findMentions } from '#lib/mentions.ts'
import { cutCharacters, grams, nameKey } from '#lib/text.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { findBlockers, findPeopleByKeys } from '#modules/accounts/index.ts'
import { attachFiles } from '#modules/files/index.ts'
import { latestLikes, setLikesOwner } from '#modules/likes/index.ts'
import { isListenedTo, notify, publishEvent, takeBack } from '#modules/notifications/index.ts'
import { cancelPinsOfContent } from '#modules/pinning/index.ts'
import { sumRewards } from '#modules/rewards/index.ts'
import { linkTopics, unlinkTopics } from '#modules/topics/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Readers, Removal } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { together } from '#platform/database/together.ts'
import { statement, type Tx, transaction } from '#platform/database.ts'
import { blocked } from '#platform/errors.ts'
import { type FeedDraft, insertFeeds } from './drafts/queries.ts'
import {
  contentRequired,
  fileTwice,
  noSuchFeed,
  nothingToRepost,
  notYourFeed,
  placeIncomplete,
  repostIncomplete,
  unpaidFeed,
} from './errors.ts'
import { insertImages, insertVideo } from './media/queries.ts'
import { findFeedPrices } from './prices/queries.ts'
import { closeSalesOfFeed, openPart, requirePricing, setPricesOfFeed } from './prices/service.ts'
import {
  FEED_COMMENT,
  FEED_PIN,
  FEEDS,
  findDeleted,
  findFeedRows,
  insertTopicLinks,
  markDeleted,
  markRestored,
  removeTopicLinks,
} from './queries.ts'
import { type FeedDetail, NewFeed } from './schema.ts'
import { feedItems } from './view.ts'
import { feedViewCounts } from './views/queries.ts'

/** How many characters of a feed can be found by searching. */
const SEARCHED = 500
/** How many characters of a feed a notification quotes. */
const QUOTED = 100

/** What is searched of a text. */
export function searchedText(content: string | null): { key: string; grams: string[] } {
  const key = nameKey(cutCharacters(content ?? '', SEARCHED))
  return { key, grams: grams(key) }
}

/** `open` is what of the text everybody may know. */
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
    ...searchedText(open),
  }
}

/** Writes a feed that nothing else is written with; all that one author sends at once are one statement. */
const insertAlone = together((sql, drafts: FeedDraft[]) => statement(sql, (db) => insertFeeds(db, drafts)))

/**
 * Publishes a feed. A mark that its author used before answers the id of the feed that was made then, whatever else the
 * repeated request says: its pictures are attached by now.
 */
export async function publishFeed(
  ctx: Context,
  userId: number,
  input: NewFeed,
  reposts: Readers,
): Promise<number> {
  const body = await screen(ctx, input, NewFeed, ['feed_content'])
  const open = (body.amount ?? 0) > 0 ? await openPart(ctx, body.feed_content) : (body.feed_content ?? null)
  const draft = draftOf(userId, body, open)
  if (draft.hasPrice) await requirePricing(ctx, body)
  const { images = [], video } = body
  const topicIds = [
    ...new Set((body.topics ?? []).map((topic) => (typeof topic === 'object' ? topic.id : topic))),
  ]
  const names = findMentions(draft.content ?? '').map(nameKey)
  if (new Set(images.map(({ id }) => id)).size < images.length) throw fileTwice()
  const listened = await isListenedTo(ctx, ctx.sql, 'feed.created')
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

/** Puts a post of a group into its author's feed, in the transaction that publishes it. */
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

/** Deletes a feed for its author, or for who may delete anybody's (feeds-26). A second call finds none. */
export async function removeFeed(ctx: Context, tx: Tx, feedId: number, userId: number): Promise<void> {
  const ability: Ability = '[feed] Delete Feed'
  const anybodys = await hasAbility(ctx, userId, ability)
  await deleteFeed(tx, feedId, { userId, anybodys })
  await publishEvent(ctx, tx, 'feed.deleted', { id: feedId, deleted_by: userId })
}

/**
 * Deletes a feed in the caller's transaction: out of lists, topics and counts; what was paid for pins that wait is given
 * back. Comments and likes stay, but the likes no longer count for its author (feeds-26).
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
  await takeBack(tx, { type: 'at', cause: { type: FEEDS, id: feedId } })
}

/** Brings a deleted feed back into lists and counts, in the caller's transaction. Its topics are not known any more. */
export async function restoreFeed(ctx: Context, tx: Tx, feedId: number): Promise<void> {
  const deleted = await findDeleted(tx, feedId)
  const price = (await findFeedPrices(tx, [feedId], 0)).get(feedId)
  const open = price ? await openPart(ctx, deleted?.content) : deleted?.content
  const restored = deleted && (await markRestored(tx, feedId, searchedText(open ?? null)))
  if (!restored) throw noSuchFeed()
  await closeSalesOfFeed(tx, feedId, false)
  await setLikesOwner(tx, FEEDS, feedId, { from: 0, to: restored.author })
}

/** How many of the people who liked a feed it shows on its own (feeds-7). */
const LIKES = 8

/** A feed on its own, which counts as a view. One that has to be paid first is 403 with what it costs. */
export async function getFeed(ctx: Context, viewerId: number, feedId: number): Promise<FeedDetail> {
  const rows = await findFeedRows(ctx.sql, [feedId], viewerId)
  if (rows.length === 0) throw noSuchFeed()
  const viewed = rows[0]!.has_price
    ? (await findFeedPrices(ctx.sql, [feedId], viewerId)).get(feedId)
    : undefined
  if (viewed && !viewed.paid) throw unpaidFeed({ extra: { paid_node: viewed.id, amount: viewed.amount } })
  feedViewCounts(ctx).add([feedId])
  const [[item], likes, rewards] = await Promise.all([
    feedItems(ctx, rows, viewerId),
    latestLikes(ctx, { type: FEEDS, contentIds: [feedId], each: LIKES, viewerId }),
    sumRewards(ctx.sql, FEEDS, [feedId]),
  ])
  const reward = rewards.get(feedId) ?? { count: 0, amount: null }
  return { ...item!, likes: likes.get(feedId) ?? [], reward }
}

/** Removes a feed as a moderator. */
export const feedRemoval: Removal = {
  ability: 'admin: feeds',
  async remove(ctx, tx, id, moderatorId) {
    await deleteFeed(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'feed.deleted', { id, deleted_by: moderatorId })
  },
}
