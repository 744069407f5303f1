import { escapeLike, nameKey } from '#lib/text.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import {
  CommentSearchOfContent,
  CommentWithPeople,
  commentViews,
  listCommentIds,
  removeCommentAsModerator,
} from '#modules/comments/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { mountAdminPins } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  planSearch,
  SCANNED,
  type Tx,
  transaction,
  when,
} from '#platform/database'
import { fieldError } from '#platform/errors.ts'
import {
  Empty,
  Flag,
  Id,
  Listing,
  listingQuery,
  Nullable,
  pageOf,
  pageOfNewest,
  routesOn,
  type Server,
  Shared,
  type Static,
  Type,
} from '#platform/http'
import { feedPins } from '../pins.ts'
import { FEEDS, findTarget, liveFeeds } from '../queries.ts'
import { FeedParams, FeedView, noSuchFeed } from '../schema.ts'
import { deleteFeed, restoreFeed } from '../service.ts'
import { feedViews } from '../view.ts'

const unknownFeed = fieldError('feed', 'no_such_feed', 'This feed does not exist.', '动态不存在或已被删除。')

export function adminFeedPinRoutes(server: Server, ctx: Context): void {
  mountAdminPins(server, ctx, {
    param: 'feed',
    plural: 'feeds',
    tag: 'Admin: moderation',
    ability: 'admin: feed pinneds',
    pins: feedPins,
    rows: {
      columns: (sql) => sql`p.target_id as feed_id, t.feed_content`,
      table: (sql) => sql`feeds t`,
      text: (sql) => sql`t.feed_content`,
    },
    shown: { feed_id: Type.Integer(), feed_content: Nullable(Type.String()) },
    missing: unknownFeed,
  })
}

const FeedCommentParams = Type.Object({ feed: Id, comment: Id })

export const FeedQuery = Type.Object({
  ...listingQuery(['id']),
  deleted: Type.Optional(Flag()),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
})
export type FeedQuery = Static<typeof FeedQuery>

const FeedDeletion = Shared('FeedDeletion', { deleted: Flag() })

async function listFeedIds(sql: Db, query: FeedQuery) {
  const { q = '', deleted = false, user_id: userId, topic_id: topicId } = query
  const key = nameKey(q)
  const pattern = `%${escapeLike(key)}%`
  const isFiltered = userId !== undefined || topicId !== undefined
  const filters = sql`
    ${ifGiven(sql, userId, (id) => sql`and f.user_id = ${id}`)}
    ${ifGiven(sql, topicId, (id) => sql`and f.id = any(array(select feed_id from feed_topic_links where topic_id = ${id}))`)}`
  if (key !== '' && !deleted) return searchFeedIds(sql, query, pattern, isFiltered ? filters : undefined)
  const where = sql`
    where ${deleted ? sql`not (${liveFeeds(sql)})` : liveFeeds(sql)} ${filters}
      ${when(sql, key !== '', () => sql`and lower(f.feed_content) like ${pattern}`)}`
  return pageOf<{ id: number }>(
    sql,
    sql`select f.id from feeds f ${where} ${listingClause(sql, query, { id: sql`f.id` })}`,
    sql`select count(*)::int as total from feeds f ${where}`,
  )
}

/**
 * Scans the newest feeds for a frequent text. Uses the trigram index for a rare text, or if the scan finds too few
 * feeds.
 */
async function searchFeedIds(sql: Db, query: FeedQuery, pattern: string, filters: Fragment | undefined) {
  const { q = '', after } = query
  const { grams, isFrequent } = await planSearch(sql, 'feed_search', 'content', q)
  const matching = (entries: Fragment) => sql`
    from ${entries} s ${ifGiven(sql, filters, () => sql`join feeds f on f.id = s.feed_id`)}
    where s.content_key like ${pattern} ${filters ?? sql``}`
  const newest = sql`(
    select feed_id, content_key from feed_search
    ${ifGiven(sql, after || undefined, (id) => sql`where feed_id < ${id}`)} order by feed_id desc limit ${SCANNED}
  )`
  const page =
    isFrequent &&
    (await pageOfNewest(
      query,
      (most) => sql<{ id: number }[]>`
        select s.feed_id as id ${matching(newest)} order by s.feed_id desc limit ${most}`,
    ))
  if (page) return page
  const found = sql`${matching(sql`feed_search`)} and s.content_grams @> ${grams}`
  return pageOf<{ id: number }>(
    sql,
    sql`select s.feed_id as id ${found} ${listingClause(sql, query, { id: sql`s.feed_id` })}`,
    sql`select count(*)::int as total ${found}`,
  )
}

async function lockFeed(sql: Db, id: number): Promise<{ deleted: boolean } | undefined> {
  const [row] = await sql<{ deleted: boolean }[]>`
    select deleted_at is not null as deleted from feeds where id = ${id} for no key update`
  return row
}

export function adminFeedRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: feeds' })
  const access = { ability: 'admin: feeds' }

  const view = async (id: number, viewerId: number) => {
    const feed = (await feedViews(ctx, [id], viewerId, { deleted: true })).get(id)
    if (!feed) throw noSuchFeed()
    return feed
  }

  const setDeleted = async (actor: Actor, tx: Tx, id: number, deleted: boolean) => {
    const { id: userId } = actor.viewer
    await (deleted ? deleteFeed(tx, id, { userId, anybodys: true }) : restoreFeed(ctx, tx, id))
    if (deleted) await publishEvent(ctx, tx, 'feed.deleted', { id, deleted_by: userId })
    await recordAudit(tx, actor, {
      action: deleted ? 'feeds.delete' : 'feeds.restore',
      subjectType: FEEDS,
      subjectId: id,
      before: { deleted: !deleted },
      after: { deleted },
    })
  }

  route('GET /admin/feeds', {
    operationId: 'adminListFeeds',
    summary: 'List feeds, or deleted feeds',
    access,
    query: FeedQuery,
    reply: { 200: Listing(FeedView) },
    async handler({ query, viewer }) {
      const { data, ...totals } = await listFeedIds(sql, query)
      const ids = data.map(({ id }) => id)
      const feeds = await feedViews(ctx, ids, viewer.id, { deleted: true })
      return { data: ids.flatMap((id) => feeds.get(id) ?? []), ...totals }
    },
  })

  route('GET /admin/feeds/:feed', {
    operationId: 'adminGetFeed',
    summary: 'Read a feed, deleted or not',
    access,
    params: FeedParams,
    reply: { 200: FeedView },
    errors: [noSuchFeed],
    handler: ({ params, viewer }) => view(params.feed, viewer.id),
  })

  route('PATCH /admin/feeds/:feed', {
    operationId: 'adminUpdateFeed',
    summary: 'Delete or restore a feed; restoring does not restore its topics',
    access,
    params: FeedParams,
    body: FeedDeletion,
    reply: { 204: Empty },
    errors: [noSuchFeed],
    precheck: ({ params, viewer }) => view(params.feed, viewer.id),
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { params, body } = call
        const feed = await lockFeed(tx, params.feed)
        if (!feed) throw noSuchFeed()
        if (feed.deleted !== body.deleted) await setDeleted(call, tx, params.feed, body.deleted)
      }),
  })

  route('DELETE /admin/feeds/:feed', {
    operationId: 'adminDeleteFeed',
    summary: 'Delete a feed',
    access,
    params: FeedParams,
    reply: { 204: Empty },
    errors: [noSuchFeed],
    handler: (call) => transaction(sql, (tx) => setDeleted(call, tx, call.params.feed, true)),
  })

  route('GET /admin/feeds/:feed/comments', {
    operationId: 'adminListFeedComments',
    summary: 'List the comments of a feed',
    access,
    params: FeedParams,
    query: CommentSearchOfContent,
    reply: { 200: Listing(CommentWithPeople) },
    errors: [noSuchFeed],
    load: ({ params, viewer }) => view(params.feed, viewer.id),
    async handler({ loaded: feed, query, viewer }) {
      const { data, total } = await listCommentIds(sql, { type: FEEDS, id: feed.id }, query)
      const ids = data.map(({ id }) => id)
      const comments = await commentViews(ctx, ids, viewer.id)
      return { data: ids.flatMap((id) => comments.get(id) ?? []), total }
    },
  })

  route('DELETE /admin/feeds/:feed/comments/:comment', {
    operationId: 'adminDeleteFeedComment',
    summary: 'Delete a comment of a feed; its author is notified',
    access,
    params: FeedCommentParams,
    reply: { 204: Empty },
    errors: [noSuchFeed],
    async handler(call) {
      const { feed, comment } = call.params
      if (!(await findTarget(sql, feed, null))) throw noSuchFeed()
      await transaction(sql, async (tx) => {
        const content = { type: FEEDS, id: feed }
        const { user_id, body } = await removeCommentAsModerator(ctx, tx, content, comment, call.viewer.id)
        await recordAudit(tx, call, {
          action: 'feeds.comments.delete',
          subjectType: 'comments',
          subjectId: comment,
          before: { feed_id: feed, user_id, body },
          after: null,
        })
      })
    },
  })
}
