import { type Actor, recordAudit } from '#modules/audit/index.ts'
import {
  CommentSearchOfContent,
  CommentWithPeople,
  commentViews,
  listCommentIds,
} from '#modules/comments/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { removeFeedComment } from '../content.ts'
import { noSuchFeed } from '../errors.ts'
import { FEEDS } from '../queries.ts'
import { FeedParams, FeedView } from '../schema.ts'
import { deleteFeed, restoreFeed } from '../service.ts'
import { feedViews } from '../view.ts'
import { listFeedIds, lockFeed } from './queries.ts'
import { FeedCommentParams, FeedDeletion, FeedQuery } from './schema.ts'

/** Feeds for those who administer them, deleted or not, and their comments (feeds-29). */
export function adminFeedRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: feeds' })
  const access = { ability: 'admin: feeds' }

  const view = async (id: number, viewerId: number) => {
    const feed = (await feedViews(ctx, [id], viewerId, { deleted: true })).get(id)
    if (!feed) throw noSuchFeed()
    return feed
  }

  /** Deletes or restores a feed and keeps a record of that. */
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
    summary: 'List feeds, or those that are deleted',
    access,
    query: FeedQuery,
    reply: { 200: Listing(FeedView) },
    async handler({ query, viewer }) {
      const { data, total } = await listFeedIds(sql, query)
      const ids = data.map(({ id }) => id)
      const feeds = await feedViews(ctx, ids, viewer.id, { deleted: true })
      return { data: ids.flatMap((id) => feeds.get(id) ?? []), total }
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
    summary: 'Delete a feed, or take its deletion back; its topics are not brought back',
    access,
    params: FeedParams,
    body: FeedDeletion,
    reply: { 204: Empty },
    errors: [noSuchFeed],
    whenInvalid: ({ params, viewer }) => view(params.feed, viewer.id),
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
    summary: 'Delete a comment of a feed; who wrote it is told',
    access,
    params: FeedCommentParams,
    reply: { 204: Empty },
    errors: [noSuchFeed],
    async handler(call) {
      const { feed, comment } = call.params
      await removeFeedComment(ctx, feed, comment, call.viewer.id, (tx, { user_id, body }) =>
        recordAudit(tx, call, {
          action: 'feeds.comments.delete',
          subjectType: 'comments',
          subjectId: comment,
          before: { feed_id: feed, user_id, body },
          after: null,
        }),
      )
    },
  })
}
