import { nameKey } from '#lib/text.ts'
import { findForViewerOrReviewer, findTopicOwner } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { planSearch } from '#platform/database'
import { forbidden, unauthenticated } from '#platform/errors.ts'
import {
  Cursor,
  Direction,
  Id,
  IdList,
  Int,
  Limit,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  Type,
  WithAlias,
} from '#platform/http'
import { countView } from '#platform/memory'
import { feedViewCounts } from '../counters.ts'
import { foreseePeople, rememberPeople } from '../foreseen.ts'
import type { FeedRow } from '../queries.ts'
import { FeedView } from '../schema.ts'
import { readFeedSettings } from '../settings.ts'
import { feedItems } from '../view.ts'
import { listFollowedFeeds } from './followed.ts'
import {
  type FeedPage,
  listCollectedRows,
  listFeedsOfUser,
  listHotFeeds,
  listNewFeeds,
  listPinnedFeeds,
  listPinnedFeedsOfUser,
  listTopicFeeds,
  searchAllFeeds,
  searchNewestFeeds,
} from './queries.ts'

export const FeedListQuery = Type.Object({
  type: Type.Optional(OneOf(['new', 'hot', 'follow', 'users'] as const, { default: 'new' })),
  // Has no default in the schema, because a request with `id` returns all requested feeds unless it sets a limit.
  limit: Type.Optional(Int(1, 100, { description: 'Default 15' })),
  after: Cursor,
  hot: Type.Optional(
    Int(0, Number.MAX_SAFE_INTEGER, {
      description: 'For type=hot: `hot` of the last feed of the previous page',
    }),
  ),
  user: Type.Optional(Id),
  screen: Type.Optional(OneOf(['paid', 'pinned'] as const)),
  search: Type.Optional(Text(100)),
  q: WithAlias('search', Type.Optional(Text(100))),
  id: Type.Optional(IdList(100)),
})
type FeedListQuery = Static<typeof FeedListQuery>

export const FeedList = Shared('FeedList', {
  ad: Type.Null(),
  pinned: Type.Array(FeedView),
  feeds: Type.Array(FeedView),
})

export const TopicFeedsParams = Type.Object({ topicID: Id })

export const TopicFeedsQuery = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: Cursor,
  direction: Direction,
})
type TopicFeedsQuery = Static<typeof TopicFeedsQuery>

export const TopicFeed = Shared('TopicFeed', { ...FeedView.properties, index: Type.Integer() })

/** `user` must be the viewer, because collections are private (feeds-23). */
export const CollectionQuery = Type.Object({
  limit: Limit(),
  offset: Offset,
  after: Cursor,
  user: Type.Optional(Id),
})
type CollectionQuery = Static<typeof CollectionQuery>

const countViews = (ctx: Context, rows: readonly { id: number }[]): void =>
  countView(() => feedViewCounts(ctx).add(rows.map(({ id }) => id)))

/** Lists feeds and counts a view of each, except in the list of one user's feeds (feeds-6). */
export async function listFeeds(
  ctx: Context,
  viewerId: number,
  query: FeedListQuery,
): Promise<{ pinned: FeedView[]; feeds: FeedView[] }> {
  const type = query.id ? 'new' : (query.type ?? 'new')
  if (viewerId === 0 && (type === 'follow' || (type === 'users' && query.user === undefined)))
    throw unauthenticated()
  const key = firstPageOf(type, query, viewerId)
  const finding = findRows(ctx, viewerId, type, query)
  const foreseen = key === undefined ? undefined : foreseePeople(ctx, key, viewerId)
  const rows = await finding
  // Skips the query for pins when the list's rows report no active pin.
  const mayHavePins = hasPins(query) && rows[0]?.pins_shown !== false
  const pinned = mayHavePins ? await listPinnedFeeds(ctx.sql, viewerId) : []
  countViews(ctx, type === 'users' ? pinned : [...pinned, ...rows])
  const [shownPins, feeds] = await Promise.all([
    feedItems(ctx, pinned, viewerId),
    feedItems(ctx, rows, viewerId, {
      fresh: type !== 'hot',
      foreseen,
      onPeople: key === undefined ? undefined : (ids) => rememberPeople(ctx, key, ids),
    }),
  ])
  return { pinned: shownPins, feeds }
}

/** Key of a first page that many requests read. The newest and the liveliest feeds are nearly the same for all viewers. */
function firstPageOf(
  type: 'new' | 'hot' | 'follow' | 'users',
  { id, limit = 15, after = 0, hot = 0, search, screen }: FeedListQuery,
  viewerId: number,
): string | undefined {
  if (type === 'users' || id || after > 0 || hot > 0 || search !== undefined || screen !== undefined) return
  return `${type} ${limit} ${type === 'follow' ? viewerId : 0}`
}

const hasPins = ({ type, id, after = 0, hot = 0, search }: FeedListQuery): boolean =>
  !(after > 0 || hot > 0 || id || search !== undefined || type === 'follow' || type === 'users')

async function findRows(
  ctx: Context,
  viewerId: number,
  type: 'new' | 'hot' | 'follow' | 'users',
  { id: ids, limit = ids?.length || 15, after = 0, hot, user = viewerId, search, screen }: FeedListQuery,
): Promise<FeedRow[]> {
  const { sql } = ctx
  const page = { viewerId, after, limit }
  if (type === 'hot') {
    const days = (await readFeedSettings(ctx))['feed:list-hot-days']
    return listHotFeeds(sql, { ...page, days, hot })
  }
  if (type === 'follow') return listFollowedFeeds(ctx, page)
  if (type === 'users' && screen === 'pinned') return listPinnedFeedsOfUser(sql, user, page)
  if (type === 'users') return listFeedsOfUser(sql, user, page, screen === 'paid')
  return search && nameKey(search) ? searchFeeds(ctx, search, page, ids) : listNewFeeds(sql, page, ids)
}

async function searchFeeds({ sql }: Context, query: string, page: FeedPage, ids?: number[]) {
  const { grams, isFrequent } = await planSearch(sql, 'feed_search', 'content', query)
  const rows = isFrequent ? await searchNewestFeeds(sql, query, page, ids) : []
  return rows.length === page.limit ? rows : searchAllFeeds(sql, query, grams, page, ids)
}

export async function listFeedsOfTopic(
  ctx: Context,
  viewerId: number,
  topicId: number,
  { limit = 15, index = 0, after, direction = 'desc' }: TopicFeedsQuery,
): Promise<(FeedView & { index: number })[]> {
  const rows = await findForViewerOrReviewer(ctx, viewerId, async (viewer) => {
    const found = await listTopicFeeds(ctx.sql, topicId, { limit, index, after, direction }, viewer)
    // Queries the topic only for an empty list, because a found feed proves that the topic is visible.
    return (found.length > 0 || (await findTopicOwner(ctx.sql, topicId, viewer))) && found
  })
  const indexes = new Map(rows.map((row) => [row.id, row.index]))
  const items = await feedItems(ctx, rows, viewerId)
  return items.map((item) => ({ ...item, index: indexes.get(item.id) as number }))
}

export async function listCollectedFeeds(
  ctx: Context,
  viewerId: number,
  { limit = 15, user = viewerId, ...page }: CollectionQuery,
): Promise<FeedView[]> {
  if (user !== viewerId) throw forbidden()
  return feedItems(ctx, await listCollectedRows(ctx.sql, viewerId, { limit, ...page }), viewerId)
}
