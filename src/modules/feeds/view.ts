import { cutCharacters } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type UserView, userViews } from '#modules/accounts/index.ts'
import {
  type Comment,
  type CommentRow,
  type CommentWithPeople,
  commentsWithPeople,
  commentUserIds,
  commentView,
  listLatestComments,
} from '#modules/comments/index.ts'
import { findPrices, type NodeRow } from '#modules/purchases/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { defineFragments } from '#platform/memory'
import { feedViewCounts } from './counters.ts'
import { FILE, findFeedPrices } from './prices.ts'
import {
  FEEDS,
  type FeedRow,
  findFeedRows,
  findImages,
  findPinnedComments,
  findVideos,
  type ImageRow,
  type VideoRow,
} from './queries.ts'
import type { FeedView, PreviewComment } from './schema.ts'

type Media = { images: ImageRow[]; video: VideoRow | undefined }

const mediaOf = defineFragments<Media>()

async function findMedia(ctx: Context, feeds: FeedRow[]): Promise<Map<number, Media>> {
  const fragments = mediaOf(ctx)
  const found = new Map<number, Media>()
  const missing: FeedRow[] = []
  for (const feed of feeds) {
    if (!feed.has_images && !feed.has_video) continue
    const known = fragments.get(feed.id, feed.content_version)
    if (known) found.set(feed.id, known)
    else missing.push(feed)
  }
  if (missing.length === 0) return found
  const idsWith = (has: (row: FeedRow) => boolean) => missing.filter(has).map(({ id }) => id)
  const [withImages, withVideo] = [idsWith((row) => row.has_images), idsWith((row) => row.has_video)]
  const [images, videos] = await Promise.all([
    withImages.length > 0 ? findImages(ctx.sql, withImages) : [],
    withVideo.length > 0 ? findVideos(ctx.sql, withVideo) : [],
  ])
  const imagesOf = Map.groupBy(images, ({ feed_id }) => feed_id)
  const videoOf = new Map(videos.map((video) => [video.feed_id, video]))
  for (const { id, content_version: version } of missing) {
    const media = { images: imagesOf.get(id) ?? [], video: videoOf.get(id) }
    // Does not cache an empty result, because a lagging replica may not have the media yet.
    if (media.images.length > 0 || media.video) fragments.set(id, version, media)
    found.set(id, media)
  }
  return found
}

const PREVIEW = 5

type Previews = Map<number, Comment[]>

const previewsOf = defineFragments<Comment[]>()

async function read({ sql }: Context, ids: number[], hideFrom: number) {
  const contents = sql`select f.id, f.content_version as version from feeds f where f.id = any(${ids})`
  const rows = await listLatestComments(sql, { type: FEEDS, contents, each: PREVIEW, hideFrom })
  return Map.groupBy(rows, ({ commentable_id }) => commentable_id)
}

const viewsOf = (rows: (CommentRow & { version: string })[]): Comment[] =>
  rows.map(({ version: _, ...row }) => commentView(row))

/** Finds the newest comments regardless of blocks, so that all viewers share the cache. */
async function findPreviews(ctx: Context, feeds: FeedRow[]): Promise<Previews> {
  const fragments = previewsOf(ctx)
  const found: Previews = new Map()
  const missing: number[] = []
  for (const { id, content_version: version, feed_comment_count: count } of feeds) {
    if (count === 0) continue
    const known = fragments.get(id, version)
    if (known) found.set(id, known)
    else missing.push(id)
  }
  for (const [id, rows] of missing.length > 0 ? await read(ctx, missing, 0) : []) {
    const views = viewsOf(rows)
    fragments.set(id, (rows[0] as { version: string }).version, views)
    found.set(id, views)
  }
  return found
}

/** Finds the newest comments for a viewer who blocks an author of the cached comments. */
async function findOwnPreviews(ctx: Context, feedIds: number[], viewerId: number): Promise<Previews> {
  const rows = await read(ctx, feedIds, viewerId)
  return new Map(feedIds.map((id) => [id, viewsOf(rows.get(id) ?? [])]))
}

const imageView = ({ file, size, mime }: ImageRow, price: NodeRow | undefined) => ({
  file,
  size,
  mime,
  ...(price
    ? { amount: price.amount, type: price.extra ?? 'download', paid: price.paid, paid_node: price.id }
    : {}),
})

function withPinned(pinned: CommentWithPeople[], latest: CommentWithPeople[]): PreviewComment[] {
  if (pinned.length === 0) return latest
  const shown = new Set(pinned.map(({ id }) => id))
  return [
    ...pinned.map((comment) => ({ ...comment, pinned: true })),
    ...latest.filter(({ id }) => !shown.has(id)),
  ]
}

/** Returns a numeric mark as an integer when the conversion is lossless. */
const markView = (mark: string) =>
  /^(0|[1-9]\d{0,15})$/.test(mark) && Number(mark) <= Number.MAX_SAFE_INTEGER ? Number(mark) : mark

const textOrNull = (value: number | null) => (value === null ? null : String(value))

/**
 * `fresh` adds buffered views to view counts and ranks. Lists paged by `hot` omit buffered views, because
 * their cursor is the stored rank.
 */
export const feedItems = async (
  ctx: Context,
  rows: FeedRow[],
  viewerId: number,
  options: ItemOptions = {},
): Promise<FeedView[]> => (await feedsWithPeople(ctx, rows, viewerId, [], options)).items

type ItemOptions = { fresh?: boolean; whole?: boolean }

/** `others`: further users to load in the same statement. */
export async function feedsWithPeople(
  ctx: Context,
  rows: FeedRow[],
  viewerId: number,
  others: number[],
  { fresh = true, whole = false }: ItemOptions = {},
): Promise<{ items: FeedView[]; people: Map<number, UserView> }> {
  if (rows.length === 0) return { items: [], people: new Map() }
  const { sql } = ctx
  const counts = feedViewCounts(ctx)
  const idsWith = (has: (row: FeedRow) => boolean) => rows.filter(has).map(({ id }) => id)
  const withPrice = idsWith((row) => row.has_price)
  const withPins = idsWith((row) => row.has_pins)
  const [mediaOf, prices, pinnedRows, previews] = await Promise.all([
    findMedia(ctx, rows),
    withPrice.length > 0 ? findFeedPrices(sql, withPrice, viewerId) : new Map<number, NodeRow>(),
    withPins.length > 0 ? findPinnedComments(sql, withPins, PREVIEW) : new Map<number, CommentRow[]>(),
    findPreviews(ctx, rows),
  ])
  const priced = new Set(withPrice)
  const files = [...mediaOf].flatMap(([id, { images }]) =>
    priced.has(id) ? images.map(({ file }) => file) : [],
  )
  const authors = rows.map((row) => row.user_id)
  const pinned = new Map([...pinnedRows].map(([id, comments]) => [id, comments.map(commentView)]))
  const [people, filePrices, settings] = await Promise.all([
    userViews(
      ctx,
      sql,
      [...authors, ...others, ...commentUserIds([...pinned.values(), ...previews.values()].flat())],
      viewerId,
    ),
    files.length > 0 ? findPrices(sql, FILE, files, viewerId) : new Map<number, NodeRow>(),
    withPrice.length > 0 ? readSettings(ctx) : undefined,
  ])
  if (viewerId > 0) {
    // Treats a missing author as blocked, because a disabled author may be blocked too.
    const isBlocked = ({ user_id: author }: Comment) => people.get(author)?.blacked !== false
    const differing = [...previews].filter(([, comments]) => comments.some(isBlocked)).map(([id]) => id)
    if (differing.length > 0) {
      const own = await findOwnPreviews(ctx, differing, viewerId)
      const unknown = commentUserIds([...own.values()].flat()).filter((id) => !people.has(id))
      for (const [id, person] of await userViews(ctx, sql, unknown, viewerId)) people.set(id, person)
      for (const [id, comments] of own) previews.set(id, comments)
    }
  }
  const limit = settings?.['feed:pay-word-limit'] ?? 0
  const items = rows.map((row) => {
    const { images = [], video } = mediaOf.get(row.id) ?? {}
    const price = prices.get(row.id)
    const unpaid = price !== undefined && !price.paid && !whole
    const unwritten = fresh ? counts.pending(row.id) : 0
    return {
      id: row.id,
      user_id: row.user_id,
      feed_content:
        unpaid && row.feed_content !== null ? cutCharacters(row.feed_content, limit) : row.feed_content,
      feed_from: row.feed_from,
      like_count: row.like_count,
      feed_view_count: row.feed_view_count + unwritten,
      feed_comment_count: row.feed_comment_count,
      feed_latitude: textOrNull(row.feed_latitude),
      feed_longtitude: textOrNull(row.feed_longtitude),
      feed_geohash: row.feed_geohash,
      audit_status: 1,
      feed_mark: markView(row.feed_mark),
      repostable_type: row.repostable_type,
      repostable_id: row.repostable_id,
      hot: row.hot + unwritten,
      created_at: wireTime(row.created_at),
      updated_at: wireTime(row.updated_at),
      deleted_at: wireTimeOrNull(row.deleted_at),
      has_collect: row.has_collect,
      has_like: row.has_like,
      user: people.get(row.user_id) ?? null,
      topics: row.topics ?? [],
      images: images.map((image) => imageView(image, filePrices.get(image.file))),
      video: video
        ? { video_id: video.video_id, cover_id: video.cover_id, height: video.height, width: video.width }
        : null,
      paid_node: price ? { paid: price.paid, node: price.id, amount: price.amount } : null,
      comments: withPinned(
        commentsWithPeople(pinned.get(row.id) ?? [], people),
        commentsWithPeople(previews.get(row.id) ?? [], people),
      ),
    }
  })
  return { items, people }
}

/** `deleted` includes deleted feeds and the full text of paid feeds, for administrators. */
export async function feedViews(
  ctx: Context,
  ids: number[],
  viewerId: number,
  options: { deleted?: boolean } = {},
): Promise<Map<number, FeedView>> {
  if (ids.length === 0) return new Map()
  const items = await feedItems(ctx, await findFeedRows(ctx.sql, ids, viewerId, options), viewerId, {
    whole: options.deleted === true,
  })
  return new Map(items.map((item) => [item.id, item]))
}
