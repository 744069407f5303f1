import { hasAbility } from '#modules/abilities/index.ts'
import { userViews } from '#modules/accounts/index.ts'
import { sumRewards } from '#modules/rewards/index.ts'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Content, Reader } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { noSuchNews } from '../errors.ts'
import { isPinned } from '../pins/service.ts'
import { type NewsDetail, type NewsItem, STATUS } from '../schema.ts'
import {
  addHits,
  findNews,
  findPublished,
  findTarget,
  findVisible,
  listAlike,
  listLatest,
  liveNews,
  type NewsRow,
} from './queries.ts'
import { newsDetail, newsItem } from './view.ts'

/** Published articles as things that are commented on, liked, collected and reported. */
export const newsContent: Content = {
  type: 'news',
  param: 'news',
  noun: 'Article',
  tag: 'News',
  async find(sql, id) {
    const row = await findTarget(sql, id)
    return row && { id, ownerId: row.user_id, contents: row.title }
  },
  live: liveNews,
}

/** Views counted here that are not in the database yet. */
export const hitsOf = defineBufferedCounts('hits', addHits)

/** Articles as lists show them, in the order of the rows. */
export function newsItems(ctx: Context, rows: NewsRow[]): NewsItem[] {
  const hits = hitsOf(ctx)
  return rows.map((row) => newsItem(row, hits.pending(row.id)))
}

/** Articles by id, in the order of the ids; what is not published is left out. */
export async function newsByIds(ctx: Context, ids: number[], viewerId: number): Promise<NewsItem[]> {
  if (ids.length === 0) return []
  const items = new Map(
    newsItems(ctx, await findPublished(ctx.sql, ids, viewerId)).map((item) => [item.id, item]),
  )
  return ids.flatMap((id) => items.get(id) ?? [])
}

/** Articles in lists that mix kinds. */
export const newsReader: Reader = {
  async visible(sql, ids, viewerId) {
    return new Set((await findVisible(sql, ids, viewerId)).map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    return new Map((await newsByIds(ctx, ids, viewerId)).map((item) => [item.id, item]))
  },
}

/** An article, which counts a view: what is not published only for its author and editors (decisions §8). */
export async function readNews(ctx: Context, id: number, viewerId: number): Promise<NewsDetail> {
  const row = await findNews(ctx.sql, id, viewerId)
  if (!row) throw noSuchNews()
  const published = row.audit_status === STATUS.published
  const own = row.user_id === viewerId && row.audit_status !== STATUS.recycled
  if (!published && !own && !(viewerId > 0 && (await hasAbility(ctx, viewerId, 'admin: news'))))
    throw noSuchNews()
  if (published) hitsOf(ctx).add([id])
  const [users, pinned, rewards] = await Promise.all([
    userViews(ctx, ctx.sql, [row.user_id], viewerId),
    isPinned(ctx.sql, id),
    sumRewards(ctx.sql, newsContent.type, [id]),
  ])
  return newsDetail(row, {
    pendingHits: hitsOf(ctx).pending(id),
    user: users.get(row.user_id) ?? null,
    pinned,
    reward: rewards.get(id),
  })
}

/** Articles like this one: first those that share a tag with it, then the newest others. */
export async function alikeNews(
  ctx: Context,
  id: number,
  limit: number,
  viewerId: number,
): Promise<NewsItem[]> {
  if (!(await findTarget(ctx.sql, id))) throw noSuchNews()
  const [alike, latest] = await Promise.all([
    listAlike(ctx.sql, id, limit),
    listLatest(ctx.sql, limit * 2 + 1),
  ])
  const ids = new Set([...alike, ...latest].map((row) => row.id))
  ids.delete(id)
  return newsByIds(ctx, [...ids].slice(0, limit), viewerId)
}
