import type { ContentReaders } from '#contracts/content.ts'
import { cutCharacters, grams, nameKey } from '#lib/text.ts'
import { attachFiles, attachPicture, fileNotUsable, findStoredFiles } from '#modules/files/index.ts'
import { featureOff } from '#modules/ledger/index.ts'
import type { NodeRow } from '#modules/purchases/index.ts'
import { findNamedTopics, linkTopics, unknownTopic } from '#modules/topics/index.ts'
import {
  contactRefused,
  listOpenTo,
  mayMention,
  recordMentions,
  requireContact,
  requireNotBlocked,
  updateUserCounters,
} from '#modules/users/index.ts'
import { hasEndpointFor, publishEvent } from '#modules/webhooks/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { batchWrites, type Db, type Fragment, statement, type Tx, transaction } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { findFeedPrices, findFilePrices, freePart, requirePricing, setPricesOfFeed } from './prices.ts'
import {
  FEEDS,
  findImages,
  findPublished,
  insertImages,
  insertTopicLinks,
  insertVideo,
  isClosedAuthor,
  listTopicLinks,
} from './queries.ts'
import {
  contentRequired,
  fileTwice,
  markReused,
  NewFeed,
  nothingToRepost,
  placeIncomplete,
  repostIncomplete,
  TOPICS_MAX,
} from './schema.ts'

type FeedDraft = {
  userId: number
  content: string | null
  from: number
  mark: string
  latitude: number | null
  longtitude: number | null
  geohash: string | null
  repostableType: string | null
  repostableId: number | null
  hasImages: boolean
  hasVideo: boolean
  hasTopics: boolean
  hasPrice: boolean
  /** Case-folded start of the text, for the search. */
  key: string
  grams: string[]
}

type Inserted = { id: number; made: boolean }

/** Passes a single draft as plain parameters, because JSON costs more to parse. */
const draftRows = (sql: Db, drafts: FeedDraft[]): Fragment => {
  const [d] = drafts
  return d && drafts.length === 1
    ? sql`
      select 0 as position, ${d.userId}::bigint as "userId", ${d.content}::text as content, ${d.from}::smallint as "from",
        ${d.mark}::text as mark, ${d.latitude}::float8 as latitude, ${d.longtitude}::float8 as longtitude,
        ${d.geohash}::text as geohash, ${d.repostableType}::text as "repostableType",
        ${d.repostableId}::bigint as "repostableId", ${d.hasImages}::boolean as "hasImages", ${d.hasVideo}::boolean as "hasVideo",
        ${d.hasTopics}::boolean as "hasTopics", ${d.hasPrice}::boolean as "hasPrice", ${d.key}::text as key,
        ${d.grams}::text[] as grams`
    : sql`
      select * from jsonb_to_recordset(${sql.json(drafts.map((draft, position) => ({ ...draft, position })))}) as rows (
        position int, "userId" bigint, content text, "from" smallint, mark text, latitude float8, longtitude float8,
        geohash text, "repostableType" text, "repostableId" bigint, "hasImages" boolean, "hasVideo" boolean,
        "hasTopics" boolean, "hasPrice" boolean, key text, grams text[])`
}

/** `made` is false for a draft whose mark already has a feed. */
async function insertFeeds(sql: Db, drafts: FeedDraft[]): Promise<[Inserted, ...Inserted[]]> {
  const first = new Map(drafts.map((draft) => [draft.mark, draft] as const).reverse())
  const once = drafts.filter((draft) => first.get(draft.mark) === draft)
  const rows = await sql<{ id: number; mark: string }[]>`
    with drafts as materialized (${draftRows(sql, once)}),
    made as (
      insert into feeds (user_id, feed_content, feed_from, feed_mark, feed_latitude, feed_longtitude, feed_geohash,
        repostable_type, repostable_id, has_images, has_video, has_topics, has_price)
      select "userId", content, "from", mark, latitude, longtitude, geohash, "repostableType", "repostableId", "hasImages",
        "hasVideo", "hasTopics", "hasPrice"
      from drafts order by position
      on conflict on constraint feeds_mark_used do nothing
      returning id, user_id, feed_mark, hot, created_at
    ),
    ranked as (insert into feed_hots (feed_id, hot, created_at) select id, hot, created_at from made),
    indexed as (
      insert into feed_search (feed_id, content_key, content_grams)
      select m.id, d.key, d.grams from made m join drafts d on d.mark = m.feed_mark where d.key <> ''
    ),
    counted as (
      ${updateUserCounters(sql, ['feeds_count'], sql`select user_id, count(*) as feeds_count from made group by user_id`)}
    )
    select id, feed_mark as mark from made`
  const made = new Map(rows.map(({ id, mark }) => [mark, id]))
  const [{ userId }] = drafts as [FeedDraft, ...FeedDraft[]]
  const rest = drafts.map(({ mark }) => mark).filter((mark) => !made.has(mark))
  const known = new Map<string, number>()
  if (rest.length > 0) {
    const earlier = await sql<{ id: number; mark: string }[]>`
      select id, feed_mark as mark from feeds where user_id = ${userId} and feed_mark = any(${rest})`
    for (const { id, mark } of earlier) known.set(mark, id)
  }
  return drafts.map((draft) => {
    const id = made.get(draft.mark) ?? known.get(draft.mark)
    return { id, made: made.has(draft.mark) && first.get(draft.mark) === draft }
  }) as [Inserted, ...Inserted[]]
}

const SEARCHED = 500

export function searchableText(content: string | null): { key: string; grams: string[] } {
  const key = nameKey(cutCharacters(content ?? '', SEARCHED))
  return { key, grams: grams(key) }
}

/** `open`: part of the text that is readable without payment. */
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
    hasTopics: false,
    hasPrice: (body.amount ?? 0) > 0 || (body.images ?? []).some(({ amount = 0 }) => amount > 0),
    ...searchableText(open),
  }
}

const chosenTopics = ({ topics = [] }: NewFeed): number[] =>
  topics.map((topic) => (typeof topic === 'object' ? topic.id : topic))

/** Topics that the author chose, then those that the free part of the text names, each with the name's key. */
async function topicsOf(
  sql: Db,
  userId: number,
  body: NewFeed,
  text: string,
): Promise<Map<number, string | null>> {
  const found = new Map<number, string | null>(chosenTopics(body).map((topic) => [topic, null]))
  for (const { id, key } of await findNamedTopics(sql, userId, text))
    if (found.has(id) || found.size < TOPICS_MAX) found.set(id, key)
  return found
}

const insertAlone = batchWrites((sql, drafts: FeedDraft[]) => statement(sql, (db) => insertFeeds(db, drafts)))

const isPriced = ({ amount = 0, type }: NonNullable<NewFeed['images']>[number], price: NodeRow | undefined) =>
  amount === (price?.amount ?? 0) && (amount === 0 || type === price?.extra)

const isEqual = (one: readonly unknown[], other: readonly unknown[]) =>
  one.length === other.length && one.every((each, n) => each === other[n])

/**
 * Throws 422 unless a repeated request has the content of the feed that its mark published (feeds-9). Compares files by
 * their bytes, because clients repeat their uploads too.
 */
async function requireSameFeed(sql: Db, id: number, draft: FeedDraft, body: NewFeed): Promise<void> {
  const { amount = 0, images = [], video } = body
  const feed = await findPublished(sql, id)
  const isSame =
    feed !== undefined &&
    feed.feed_content === draft.content &&
    feed.repostable_type === draft.repostableType &&
    feed.repostable_id === draft.repostableId
  if (!isSame) throw markReused()
  // The deletion of a feed removes its topics.
  if (feed.deleted_at !== null) return
  const attached = await findImages(sql, [id])
  const before = [...attached.map(({ file }) => file), ...(feed.video_id === null ? [] : [feed.video_id])]
  const now = [...images.map((image) => image.id), ...(video ? [video.video_id] : [])]
  const stored = await findStoredFiles(sql, draft.userId, [...before, ...now])
  const bytesOf = (files: number[]) => files.map((file) => stored.get(file))
  const links = await listTopicLinks(sql, [id])
  const linked = new Set(links.map(({ topic_id }) => topic_id))
  const chosen = chosenTopics(body)
  const price = (await findFeedPrices(sql, [id], draft.userId)).get(id)
  const prices = await findFilePrices(sql, before, draft.userId)
  if (
    images.length !== attached.length ||
    now.some((file) => !stored.has(file)) ||
    !isEqual(bytesOf(before), bytesOf(now)) ||
    chosen.some((topic) => !linked.has(topic)) ||
    // A topic with a key is one that the text names.
    links.some(({ topic_id, name_key }) => name_key === null && !chosen.includes(topic_id)) ||
    amount !== (price?.amount ?? 0) ||
    images.some((image, n) => !isPriced(image, prices.get(before[n]!)))
  )
    throw markReused()
}

export const PUBLISHING_ERRORS = [
  contentRequired,
  placeIncomplete,
  repostIncomplete,
  nothingToRepost,
  fileTwice,
  fileNotUsable,
  unknownTopic,
  markReused,
  sensitiveWords,
  featureOff,
  blocked,
  contactRefused,
]

/** Returns the existing feed for a repeated mark. */
export async function publishFeed(
  ctx: Context,
  userId: number,
  input: NewFeed,
  reposts: ContentReaders,
): Promise<number> {
  const body = await screenWords(ctx, input, NewFeed, ['feed_content'])
  const open = (body.amount ?? 0) > 0 ? await freePart(ctx, body.feed_content) : (body.feed_content ?? null)
  const topics = await topicsOf(ctx.sql, userId, body, open ?? '')
  const draft = { ...draftOf(userId, body, open), hasTopics: topics.size > 0 }
  if (draft.hasPrice) await requirePricing(ctx, body)
  const { images = [], video } = body
  const text = draft.content ?? ''
  if (new Set(images.map(({ id }) => id)).size < images.length) throw fileTwice()
  const listened = await hasEndpointFor(ctx, ctx.sql, 'feed.created')
  const alone =
    !listened &&
    !draft.hasPrice &&
    images.length + topics.size === 0 &&
    !mayMention(text) &&
    !video &&
    draft.repostableType === null
  if (alone) {
    const { id, made } = await insertAlone(ctx.sql, `${userId}`, draft)
    if (!made) await requireSameFeed(ctx.sql, id, draft, body)
    return id
  }

  return transaction(ctx.sql, async (tx) => {
    const [{ id, made }] = await insertFeeds(tx, [draft])
    if (!made) {
      await requireSameFeed(tx, id, draft, body)
      return id
    }
    const { repostableType, repostableId } = draft
    if (repostableType !== null && repostableId !== null) {
      const seen = await reposts[repostableType]?.visible(tx, [repostableId], userId)
      if (!seen?.has(repostableId)) throw nothingToRepost()
      const author = await reposts[repostableType]?.author?.(tx, repostableId)
      if (author !== undefined) {
        await requireNotBlocked(tx, userId, [author])
        await requireContact(tx, userId, author, 'quotes')
      }
    }
    if (images.length > 0) await attachImages(tx, userId, id, images)
    if (video) await attachVideo(tx, userId, id, video)
    if (draft.hasPrice) await setPricesOfFeed(tx, userId, id, body)
    if (topics.size > 0) {
      await linkTopics(tx, { topicIds: [...topics.keys()], userId })
      await insertTopicLinks(tx, id, topics)
    }
    const isClosed = await isClosedAuthor(tx, userId)
    await recordMentions(tx, userId, { type: FEEDS, id }, text, {
      excerpt: open ?? '',
      readers: (ids) => listOpenTo(tx, userId, ids),
      hidesRecipients: isClosed,
    })
    await publishEvent(ctx, tx, 'feed.created', { id, ...(isClosed ? {} : { user_id: userId }) })
    return id
  })
}

/** Publishes a group post as a feed of its author. */
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
  if (!made) return
  const isClosed = await isClosedAuthor(tx, userId)
  await publishEvent(ctx, tx, 'feed.created', { id, ...(isClosed ? {} : { user_id: userId }) })
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
  await attachPicture(tx, cover_id, { ...use, channel: 'feed:video:cover', field: 'video.cover_id' })
  const { width, height } = videos.get(video_id)!
  await insertVideo(tx, feedId, { video: video_id, cover: cover_id, width, height })
}
