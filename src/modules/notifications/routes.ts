import type { Context } from '#platform/context.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { findPage, findStatistics, listMentions, markRead } from './queries.ts'
import { ListQuery, Mention, MentionQuery, NotificationPage, ReadBody, Statistics } from './schema.ts'
import { mentionView, PAGE_SIZE, pageView, statisticsView } from './view.ts'

/** Specification 4.9. */
export function notificationRoutes(server: Server, ctx: Context) {
  const { sql, config } = ctx
  const tags = ['Notifications']

  server.get(
    '/user/notification-statistics',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Unread numbers and a preview of each type',
        response: { 200: Statistics },
      },
    },
    async (request) => statisticsView(await findStatistics(sql, viewerOf(request).id), language(request)),
  )

  server.get(
    '/user/notifications',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Notifications of a type, newest first',
        querystring: ListQuery,
        response: { 200: NotificationPage },
      },
    },
    async (request) => {
      const { type, page = 1 } = request.query
      const rows = await findPage(sql, viewerOf(request).id, type, PAGE_SIZE, (page - 1) * PAGE_SIZE)
      const path = `${config.publicUrl}/api/v2/user/notifications`
      return pageView(rows, { type, page, path }, language(request))
    },
  )

  server.get(
    '/user/message/atme',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Where you were mentioned, newest first',
        querystring: MentionQuery,
        response: { 200: Type.Array(Mention) },
      },
    },
    async (request) => {
      const { id } = viewerOf(request)
      return (await listMentions(sql, id, request.query)).map((row) => mentionView(id, row))
    },
  )

  server.patch(
    '/user/notifications',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Mark all of a type as read',
        body: ReadBody,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await markRead(sql, viewerOf(request).id, [request.body.type])
      return reply.code(204).send()
    },
  )

  server.patch(
    '/user/clear-follow-notification',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Clear the counter of new followers', response: { 204: Empty } },
    },
    async (request, reply) => {
      // The original deletes the history; here it is only marked as read (R §28.10).
      await markRead(sql, viewerOf(request).id, ['follow'])
      return reply.code(204).send()
    },
  )
}
