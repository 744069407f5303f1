import type { FastifyRequest } from 'fastify'
import { commentViews } from '#modules/comments/index.ts'
import {
  deleteFeed,
  FeedView,
  feedViews,
  noSuchFeed,
  removeFeedComment,
  restoreFeed,
} from '#modules/feeds/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { listCommentIds, listFeedIds, lockFeed } from './queries.ts'
import {
  FeedCommentListing,
  FeedCommentParams,
  FeedCommentQuery,
  FeedListing,
  FeedParams,
  FeedPatch,
  FeedQuery,
} from './schema.ts'

export function adminFeedRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: feeds' }

  const view = async (id: number, viewer: number) => {
    const feed = (await feedViews(ctx, [id], viewer, { deleted: true })).get(id)
    if (!feed) throw noSuchFeed()
    return feed
  }
  const before = (request: FastifyRequest) =>
    view((request.params as { feed: number }).feed, viewerOf(request).id)

  /** Deletes or restores a feed and keeps a record of that. */
  const setDeleted = async (request: FastifyRequest, tx: Tx, id: number, deleted: boolean) => {
    await (deleted
      ? deleteFeed(tx, id, { userId: viewerOf(request).id, anybodys: true })
      : restoreFeed(ctx, tx, id))
    if (deleted) await publishEvent(ctx, tx, 'feed.deleted', { id, deleted_by: viewerOf(request).id })
    await recordAudit(tx, request, {
      action: deleted ? 'feeds.delete' : 'feeds.restore',
      subjectType: 'feeds',
      subjectId: id,
      before: { deleted: !deleted },
      after: { deleted },
    })
  }

  server.get(
    '/admin/feeds',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List feeds, or those that are deleted',
        querystring: FeedQuery,
        response: { 200: FeedListing },
      },
    },
    async (request) => {
      const { data, total } = await listFeedIds(sql, request.query)
      const ids = data.map(({ id }) => id)
      const feeds = await feedViews(ctx, ids, viewerOf(request).id, { deleted: true })
      return { data: ids.flatMap((id) => feeds.get(id) ?? []), total }
    },
  )

  server.get(
    '/admin/feeds/:feed',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Read a feed, deleted or not',
        params: FeedParams,
        response: { 200: FeedView },
      },
    },
    (request) => view(request.params.feed, viewerOf(request).id),
  )

  server.patch(
    '/admin/feeds/:feed',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Delete a feed, or take its deletion back; its topics are not brought back',
        params: FeedParams,
        body: FeedPatch,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { feed: id } = request.params
      await transaction(sql, async (tx) => {
        const feed = await lockFeed(tx, id)
        if (!feed) throw noSuchFeed()
        if (feed.deleted !== request.body.deleted) await setDeleted(request, tx, id, request.body.deleted)
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/feeds/:feed',
    {
      config: { access },
      schema: { tags, summary: 'Delete a feed', params: FeedParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      await transaction(sql, (tx) => setDeleted(request, tx, request.params.feed, true))
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/feeds/:feed/comments',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'List the comments of a feed',
        params: FeedParams,
        querystring: FeedCommentQuery,
        response: { 200: FeedCommentListing },
      },
    },
    async (request) => {
      const viewer = viewerOf(request).id
      const [, { data, total }] = await Promise.all([
        view(request.params.feed, viewer),
        listCommentIds(sql, request.params.feed, request.query),
      ])
      const ids = data.map(({ id }) => id)
      const comments = await commentViews(ctx, ids, viewer)
      return { data: ids.flatMap((id) => comments.get(id) ?? []), total }
    },
  )

  server.delete(
    '/admin/feeds/:feed/comments/:comment',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a comment of a feed; who wrote it is told',
        params: FeedCommentParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { feed, comment } = request.params
      await removeFeedComment(ctx, feed, comment, viewerOf(request).id, (tx, { user_id, body }) =>
        recordAudit(tx, request, {
          action: 'feeds.comments.delete',
          subjectType: 'comments',
          subjectId: comment,
          before: { feed_id: feed, user_id, body },
          after: null,
        }),
      )
      return reply.code(204).send()
    },
  )
}
