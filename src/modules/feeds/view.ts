import { cutCharacters } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { peopleOverlay, userViews } from '#modules/accounts/index.ts'
import { isCollectedBy } from '#modules/collections/index.ts'
import {
  type CommentWithPeople,
  listLatestComments,
  peopleOf,
  showComments,
} from '#modules/comments/index.ts'
import { isLikedBy } from '#modules/likes/index.ts'
import { findPrices, type NodeRow } from '#modules/purchases/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import { findImages, findVideos, type ImageRow } from './media/queries.ts'
import { findPinnedComments } from './pins/queries.ts'
import { FILE, findFeedPrices } from './prices/queries.ts'
import { FEEDS, type FeedRow, findFeedRows, findTopics } from './queries.ts'
import type { FeedView, PreviewComment } from './schema.ts'
import { feedViewCounts } from './views/queries.ts'

/** What of feeds depends on who asks. */
export const feedOverlay = overlayOf(peopleOverlay, {
  flags: { has_like: isLikedBy(FEEDS), has_collect: isCollectedBy(FEEDS) },
})

/** How many of the newest comments a feed in a list shows (feeds-7). */
const PREVIEW = 5

/** A picture; with its price if it has one. */
const imageView = ({ file, size, mime }: ImageRow, price: NodeRow | undefined) => ({
  file,
  size,
  mime,
  ...(price
    ? { amount: price.amount, type: price.extra ?? 'download', paid: price.paid, paid_node: price.id }
    : {}),
})

/** Pinned comments come first, and once. */
function withPinned(pinned: CommentWithPeople[], latest: CommentWithPeople[]): PreviewComment[] {
  if (pinned.length === 0) return latest
  const shown = new Set(pinned.map(({ id }) => id))
  return [
    ...pinned.map((comment) => ({ ...comment, pinned: true })),
    ...latest.filter(({ id }) => !shown.has(id)),
  ]
}

/** An integer goes out as one: `5` and `"5"` are the same mark. */
const markView = (mark: string) =>
  /^(0|[1-9]\d{0,15})$/.test(mark) && Number(mark) <= Number.MAX_SAFE_INTEGER ? Number(mark) : mark

const textOrNull = (value: number | null) => (value === null ? null : String(value))

/**
 * Rows as lists show them, in their order: one statement for each kind of what the page has any of. `fresh` adds
 * the views that are still to be written; not so where `hot` is the cursor, which has to be the stored one.
 */
export async function feedItems(
  ctx: Context,
  rows: FeedRow[],
  viewerId: number,
  { fresh = true, whole = false }: { fresh?: boolean; whole?: boolean } = {},
): Promise<FeedView[]> {
  if (rows.length === 0) return []
  const { sql } = ctx
  const counts = feedViewCounts(ctx)
  const idsWith = (has: (row: FeedRow) => boolean) => rows.filter(has).map(({ id }) => id)
  const withTopics = idsWith((row) => row.has_topics)
  const withImages = idsWith((row) => row.has_images)
  const withVideo = idsWith((row) => row.has_video)
  const withPrice = idsWith((row) => row.has_price)
  const withComments = idsWith((row) => row.feed_comment_count > 0)
  const [topics, images, videos, prices, pinned, latest] = await Promise.all([
    withTopics.length > 0 ? findTopics(sql, withTopics, viewerId) : [],
    withImages.length > 0 ? findImages(sql, withImages) : [],
    withVideo.length > 0 ? findVideos(sql, withVideo) : [],
    findFeedPrices(sql, withPrice, viewerId),
    findPinnedComments(
      sql,
      idsWith((row) => row.has_pins),
      PREVIEW,
    ),
    withComments.length > 0
      ? listLatestComments(sql, { type: FEEDS, contentIds: withComments, each: PREVIEW, hideFrom: viewerId })
      : [],
  ])
  const priced = new Set(withPrice)
  const files = images.filter(({ feed_id }) => priced.has(feed_id)).map(({ file }) => file)
  const authors = rows.map((row) => row.user_id)
  const [people, filePrices, settings] = await Promise.all([
    userViews(ctx, sql, [...authors, ...peopleOf([...pinned.values(), latest].flat())], viewerId),
    findPrices(sql, FILE, files, viewerId),
    withPrice.length > 0 ? readSettings(ctx) : undefined,
  ])
  const commentsOf = Map.groupBy(latest, ({ commentable_id }) => commentable_id)
  const topicsOf = Map.groupBy(topics, ({ feed_id }) => feed_id)
  const limit = settings?.['feed:pay-word-limit'] ?? 0
  const imagesOf = Map.groupBy(images, ({ feed_id }) => feed_id)
  const videoOf = new Map(videos.map((video) => [video.feed_id, video]))
  return rows.map((row) => {
    const video = videoOf.get(row.id)
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
      topics: (topicsOf.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
      images: (imagesOf.get(row.id) ?? []).map((image) => imageView(image, filePrices.get(image.file))),
      video: video
        ? { video_id: video.video_id, cover_id: video.cover_id, height: video.height, width: video.width }
        : null,
      paid_node: price ? { paid: price.paid, node: price.id, amount: price.amount } : null,
      comments: withPinned(
        showComments(pinned.get(row.id) ?? [], people),
        showComments(commentsOf.get(row.id) ?? [], people),
      ),
    }
  })
}

/**
 * Feeds by id, for lists that point to them; a deleted one is absent unless asked for, as the administration does, which
 * sees paid feeds whole too.
 */
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
