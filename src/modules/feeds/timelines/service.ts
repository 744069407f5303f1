import { nameKey } from '#lib/text.ts'
import { countFollowings } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { findForViewer, findTopicOwner } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden, unauthenticated } from '#platform/errors.ts'
import { listPinnedFeeds, listPinnedFeedsOfUser } from '../pins/queries.ts'
import type { FeedRow } from '../queries.ts'
import type { FeedView } from '../schema.ts'
import { feedItems } from '../view.ts'
import { feedViewCounts } from '../views/queries.ts'
import {
  type FeedPage,
  listCollectedRows,
  listFeedsOfUser,
  listHotFeeds,
  listNewFeeds,
  listTopicFeeds,
  mergeFollowedFeeds,
  pickFollowedFeeds,
  searchAllFeeds,
  searchNewestFeeds,
} from './queries.ts'
import type { CollectionQuery, FeedListQuery, TopicFeedsQuery } from './schema.ts'

/** A page of GET /feeds. Being shown in a list is a view, except in the list of one person (feeds-6). */
export async function listFeeds(ctx: Context, viewerId: number, query: FeedListQuery): Promise<FeedView[]> {
  const type = query.id ? 'new' : (query.type ?? 'new')
  if (viewerId === 0 && (type === 'follow' || (type === 'users' && query.user === undefined)))
    throw unauthenticated()
  const rows = await findRows(ctx, viewerId, type, query)
  if (type !== 'users') feedViewCounts(ctx).add(rows.map(({ id }) => id))
  return feedItems(ctx, rows, viewerId, { fresh: type !== 'hot' })
}

/** The pinned feeds that come with the first page (feeds-1); being shown is a view. */
export async function listPinned(
  ctx: Context,
  viewerId: number,
  { type, id, after = 0, hot = 0, search }: FeedListQuery,
): Promise<FeedView[]> {
  if (after > 0 || hot > 0 || id || search !== undefined || type === 'follow' || type === 'users') return []
  const rows = await listPinnedFeeds(ctx.sql, viewerId)
  feedViewCounts(ctx).add(rows.map((row) => row.id))
  return feedItems(ctx, rows, viewerId)
}

async function findRows(
  ctx: Context,
  viewerId: number,
  type: 'new' | 'hot' | 'follow' | 'users',
  { id: ids, limit = ids?.length || 15, after = 0, hot, user = viewerId, search = '', screen }: FeedListQuery,
): Promise<FeedRow[]> {
  const { sql } = ctx
  const page = { viewerId, after, limit }
  if (type === 'hot') {
    const days = (await readSettings(ctx))['feed:list-hot-days']
    return listHotFeeds(sql, { ...page, days, hot })
  }
  if (type === 'follow') return listFollowedFeeds(ctx, page)
  if (type === 'users' && screen === 'pinned') return listPinnedFeedsOfUser(sql, user, page)
  if (type === 'users') return listFeedsOfUser(sql, user, page, screen === 'paid')
  return nameKey(search) === '' ? listNewFeeds(sql, page, ids) : searchFeeds(ctx, search, page, ids)
}

/** Who follows more people than this finds their feeds dense among the newest of all. */
const MANY = 200

async function listFollowedFeeds({ sql }: Context, page: FeedPage): Promise<FeedRow[]> {
  if ((await countFollowings(sql, page.viewerId)) > MANY) {
    const rows = await pickFollowedFeeds(sql, page)
    if (rows.length === page.limit) return rows
  }
  return mergeFollowedFeeds(sql, page)
}

/** What many feeds contain is found among the newest at once, and only what is rarer is left to the index. */
async function searchFeeds({ sql }: Context, query: string, page: FeedPage, ids?: number[]) {
  const rows = await searchNewestFeeds(sql, query, page, ids)
  return rows.length === page.limit ? rows : searchAllFeeds(sql, query, page, ids)
}

/** The feeds of a topic, which is 404 for those who may not know of it (topics-6). */
export async function listFeedsOfTopic(
  ctx: Context,
  viewerId: number,
  topicId: number,
  { limit = 15, index = 0, after, direction = 'desc' }: TopicFeedsQuery,
): Promise<(FeedView & { index: number })[]> {
  const rows = await findForViewer(ctx, viewerId, async (viewer) => {
    const found = await listTopicFeeds(ctx.sql, topicId, { limit, index, after, direction }, viewer)
    // Whether there is such a topic is asked only where no feed has told.
    return (found.length > 0 || (await findTopicOwner(ctx.sql, topicId, viewer))) && found
  })
  const items = await feedItems(ctx, rows, viewerId)
  return items.map((item, position) => ({ ...item, index: rows[position]!.index }))
}

/** What the viewer collected, without what was deleted since. */
export async function listCollectedFeeds(
  ctx: Context,
  viewerId: number,
  { limit = 15, user = viewerId, ...page }: CollectionQuery,
): Promise<FeedView[]> {
  if (user !== viewerId) throw forbidden()
  return feedItems(ctx, await listCollectedRows(ctx.sql, viewerId, { limit, ...page }), viewerId)
}
