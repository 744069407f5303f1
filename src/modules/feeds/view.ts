import { cutText, nameKey } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import {
  type Comment,
  type CommentRow,
  type CommentWithPeople,
  commentsWithPeople,
  commentUserIds,
  commentView,
  listLatestComments,
} from '#modules/comments/index.ts'
import type { NodeRow } from '#modules/purchases/index.ts'
import { findTopicNames, isTopicVisible } from '#modules/topics/index.ts'
import { findMutedWord, type People, peopleFor, type UserView, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { defineFragments } from '#platform/memory'
import { feedViewCounts } from './counters.ts'
import { findFeedPrices, findFilePrices } from './prices.ts'
import {
  FEEDS,
  type FeedRow,
  type FeedTextRow,
  findFeedRows,
  findFeedTexts,
  findPinnedComments,
} from './queries.ts'
import type { FeedView, PreviewComment } from './schema.ts'
import { readFeedSettings } from './settings.ts'

/** Parts of a feed that are the same for all viewers, and therefore cacheable. */
type FeedText = Pick<
  FeedView,
  | 'user_id'
  | 'feed_content'
  | 'feed_from'
  | 'feed_latitude'
  | 'feed_longtitude'
  | 'feed_geohash'
  | 'feed_mark'
  | 'repostable_type'
  | 'repostable_id'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
  | 'video'
> & { images: Image[]; topicIds: number[] }

type Image = NonNullable<FeedTextRow['images']>[number]

/** Returns a numeric mark as an integer when the conversion is lossless. */
const markView = (mark: string) =>
  /^(0|[1-9]\d{0,15})$/.test(mark) && Number(mark) <= Number.MAX_SAFE_INTEGER ? Number(mark) : mark

const textOrNull = (value: number | null) => (value === null ? null : String(value))

const feedText = ({ id: _, text_version, topic_ids, ...row }: FeedTextRow): FeedText => ({
  ...row,
  feed_latitude: textOrNull(row.feed_latitude),
  feed_longtitude: textOrNull(row.feed_longtitude),
  feed_mark: markView(row.feed_mark),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  deleted_at: wireTimeOrNull(row.deleted_at),
  images: row.images ?? [],
  topicIds: topic_ids,
})

const textsOf = defineFragments<FeedText>()

const findTexts = (ctx: Context, feeds: FeedRow[]): Promise<Map<number, FeedText>> =>
  textsOf(ctx).find(
    feeds.map(({ id, text_version: version }) => ({ id, version })),
    async (missing) => {
      const rows = await findFeedTexts(ctx.sql, missing)
      return rows.map((row) => ({ id: row.id, version: row.text_version, value: feedText(row) }))
    },
  )

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
const findPreviews = (ctx: Context, feeds: FeedRow[]): Promise<Previews> =>
  previewsOf(ctx).find(
    feeds
      .filter(({ feed_comment_count: count }) => count > 0)
      .map(({ id, content_version: version }) => ({ id, version })),
    async (missing) =>
      [...(await read(ctx, missing, 0))].map(([id, rows]) => ({
        id,
        version: (rows[0] as { version: string }).version,
        value: viewsOf(rows),
      })),
  )

/** Finds the newest comments for a viewer from whom an author of the cached comments is hidden (relations-2, relations-5). */
async function findOwnPreviews(ctx: Context, feedIds: number[], viewerId: number): Promise<Previews> {
  const rows = await read(ctx, feedIds, viewerId)
  return new Map(feedIds.map((id) => [id, viewsOf(rows.get(id) ?? [])]))
}

const imageView = (image: Image, price: NodeRow | undefined) => ({
  ...image,
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

/** Users whom a page probably contains, read with the rows of the page. */
export type Foreseen = { people: People; ids: ReadonlySet<number> }

type ItemOptions = {
  fresh?: boolean
  whole?: boolean
  foreseen?: Promise<Foreseen | undefined> | undefined
  /** Receives the ids of all users of the page. */
  onPeople?: ((ids: ReadonlySet<number>) => void) | undefined
}

/** Reads only the users who were not foreseen. */
async function findPeople(
  ctx: Context,
  wanted: ReadonlySet<number>,
  viewerId: number,
  foreseen: Foreseen | undefined,
): Promise<People> {
  if (!foreseen) return peopleFor(ctx, ctx.sql, wanted, viewerId)
  const missing = wanted.difference(foreseen.ids)
  if (missing.size === 0) return foreseen.people
  const more = await peopleFor(ctx, ctx.sql, missing, viewerId)
  const { users, hidden, muted } = foreseen.people
  return {
    users: new Map([...users, ...more.users]),
    hidden: hidden.union(more.hidden),
    muted: muted.union(more.muted),
    mutedWords: more.mutedWords,
  }
}

/** `others`: ids of further users to load in the same statement as the authors. */
export async function feedsWithPeople(
  ctx: Context,
  rows: FeedRow[],
  viewerId: number,
  others: number[],
  { fresh = true, whole = false, foreseen, onPeople }: ItemOptions = {},
): Promise<{ items: FeedView[]; people: Map<number, UserView> }> {
  if (rows.length === 0) return { items: [], people: new Map() }
  const { sql } = ctx
  const counts = feedViewCounts(ctx)
  const idsWith = (has: (row: FeedRow) => boolean) => rows.filter(has).map(({ id }) => id)
  const withPrice = idsWith((row) => row.has_price)
  const withPins = idsWith((row) => row.has_pins)
  const [texts, prices, pinnedRows, previews] = await Promise.all([
    findTexts(ctx, rows),
    withPrice.length > 0 ? findFeedPrices(sql, withPrice, viewerId) : new Map<number, NodeRow>(),
    withPins.length > 0
      ? findPinnedComments(sql, withPins, PREVIEW, viewerId)
      : new Map<number, CommentRow[]>(),
    findPreviews(ctx, rows),
  ])
  const files = withPrice.flatMap((id) => texts.get(id)?.images.map(({ file }) => file) ?? [])
  const authors = [...texts.values()].map(({ user_id }) => user_id)
  const pinned = new Map([...pinnedRows].map(([id, comments]) => [id, comments.map(commentView)]))
  const commenters = commentUserIds([...pinned.values(), ...previews.values()].flat())
  const wanted = new Set([...authors, ...others, ...commenters].filter((id) => id > 0))
  onPeople?.(wanted)
  const early = await foreseen
  const [{ users: people, hidden, muted, mutedWords }, topics, filePrices, settings] = await Promise.all([
    findPeople(ctx, wanted, viewerId, early),
    findTopicNames(
      ctx,
      rows.find((row) => row.topics_version !== null)?.topics_version ?? 0,
      [...texts.values()].flatMap(({ topicIds }) => topicIds),
    ),
    findFilePrices(sql, files, viewerId),
    withPrice.length > 0 ? readFeedSettings(ctx) : undefined,
  ])
  if (viewerId > 0) {
    const isHidden = ({ user_id: author }: Comment) => hidden.has(author) || muted.has(author)
    const differing = [...previews].filter(([, comments]) => comments.some(isHidden)).map(([id]) => id)
    if (differing.length > 0) {
      const own = await findOwnPreviews(ctx, differing, viewerId)
      const unknown = commentUserIds([...own.values()].flat()).filter((id) => !people.has(id))
      for (const [id, person] of await userViews(ctx, sql, unknown, viewerId)) people.set(id, person)
      for (const [id, comments] of own) previews.set(id, comments)
    }
  }
  const limit = settings?.['feed:pay-word-limit'] ?? 0
  const items = rows.flatMap((row) => {
    const text = texts.get(row.id)
    if (!text) return []
    const { topicIds, images, feed_content: content, ...rest } = text
    const price = prices.get(row.id)
    const topicNames = topicIds.flatMap((id) => topics.get(id)?.name ?? [])
    const unpaid = price !== undefined && !price.paid && !whole
    const unwritten = fresh ? counts.pending(row.id) : 0
    return {
      ...rest,
      id: row.id,
      feed_content: unpaid && content !== null ? cutText(content, limit) : content,
      like_count: row.like_count,
      feed_view_count: row.feed_view_count + row.views + unwritten,
      feed_comment_count: row.feed_comment_count,
      audit_status: 1,
      hot: row.hot + row.views + unwritten,
      has_collect: row.has_collect,
      has_like: row.has_like,
      user: people.get(text.user_id) ?? null,
      muted_word:
        text.user_id === viewerId ? null : findMutedWord(mutedWords, content, topicNames.map(nameKey)),
      topics: topicIds.flatMap((id) => {
        const topic = topics.get(id)
        return topic && isTopicVisible(topic, viewerId) ? { id, name: topic.name } : []
      }),
      images: images.map((image) => imageView(image, filePrices.get(image.file))),
      paid_node: price ? { paid: price.paid, node: price.id, amount: price.amount } : null,
      comments: withPinned(
        commentsWithPeople(pinned.get(row.id) ?? [], people),
        commentsWithPeople(previews.get(row.id) ?? [], people),
      ),
    }
  })
  return { items, people }
}

/** With `deleted`, returns deleted feeds and the full text of paid feeds too, for administrators. */
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
