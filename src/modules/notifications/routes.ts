import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { findPage, isPresent, listMentions, markRead } from './queries.ts'
import {
  ListQuery,
  Mention,
  MentionQuery,
  NOTIFICATION_TYPES,
  NotificationPage,
  ReadBody,
  Statistics,
} from './schema.ts'
import { findMissing, readStatistics } from './system/service.ts'
import { mentionView, PAGE_SIZE, pageView, statisticsView } from './view.ts'

const typeNeeded = fieldError('type', 'validation_failed', 'The type is required.', '类型不能为空。')

/** What happened to whom (notifications-3 to notifications-5). */
export function notificationRoutes(server: Server, ctx: Context) {
  const { sql, config } = ctx
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/notification-statistics', {
    operationId: 'getNotificationStatistics',
    summary: 'Read unread numbers and a preview of each type',
    access: 'user',
    kept: 'each',
    reply: { 200: Statistics },
    handler: async ({ viewer, language }) => {
      const { rows, told } = await readStatistics(ctx, viewer.id)
      return statisticsView(rows, language, told)
    },
  })

  route('GET /user/notifications', {
    operationId: 'listNotifications',
    summary: 'List notifications of a type, newest first',
    access: 'user',
    kept: 'each',
    query: ListQuery,
    reply: { 200: NotificationPage },
    errors: [typeNeeded],
    handler: async ({ viewer, query, language }) => {
      const { type, offset, after = 0, limit = PAGE_SIZE } = query
      if (type === undefined && offset === undefined && after === 0) throw typeNeeded()
      const page = offset === undefined ? (query.page ?? 1) : Math.floor(offset / limit) + 1
      const skipped = offset ?? (page - 1) * limit
      const rows = await findPage(sql, viewer.id, type, { limit, offset: skipped, after })
      const path = `${config.publicUrl}/api/v2/user/notifications`
      const told = await findMissing(ctx, rows.filter(isPresent), () => viewer.id)
      return pageView(rows, { type, limit, page, offset, after, path }, language, told)
    },
  })

  route('GET /user/message/atme', {
    operationId: 'listMentions',
    summary: 'List where I was mentioned, newest first',
    access: 'user',
    query: MentionQuery,
    reply: { 200: Type.Array(Mention) },
    handler: async ({ viewer, query }) =>
      (await listMentions(sql, viewer.id, query)).map((row) => mentionView(viewer.id, row)),
  })

  route('PATCH /user/notifications', {
    operationId: 'markNotificationsRead',
    summary: 'Mark all of a type as read',
    whileSilenced: true,
    access: 'user',
    body: ReadBody,
    reply: { 204: Empty },
    handler: ({ viewer, body }) => markRead(sql, viewer.id, [body.type]),
  })

  route('PUT /user/notifications/all', {
    operationId: 'markAllNotificationsRead',
    summary: 'Mark everything as read',
    whileSilenced: true,
    access: 'user',
    reply: { 204: Empty },
    handler: ({ viewer }) => markRead(sql, viewer.id, NOTIFICATION_TYPES),
  })

  route('PATCH /user/clear-follow-notification', {
    operationId: 'clearFollowNotifications',
    summary: 'Clear the counter of new followers',
    whileSilenced: true,
    access: 'user',
    reply: { 204: Empty },
    handler: ({ viewer }) => markRead(sql, viewer.id, ['follow']),
  })
}
