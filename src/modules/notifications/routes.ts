import type { Context } from '#platform/context.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { findNotification, findPage, listMentions, markRead } from './queries.ts'
import {
  ListQuery,
  Mention,
  MentionQuery,
  NOTIFICATION_TYPES,
  Notification,
  NotificationParams,
  NotificationsReply,
  ReadBody,
  Statistics,
} from './schema.ts'
import {
  findMissing,
  mentionView,
  notificationView,
  PAGE_SIZE,
  pageView,
  readStatistics,
  statisticsView,
} from './service.ts'

const noSuchNotification = apiError(
  404,
  'no_such_notification',
  'This notification does not exist.',
  '通知不存在。',
)
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const typeNeeded = fieldError('type', 'validation_failed', 'The type is required.', '类型不能为空。')

const olderView = ({ data, ...rest }: Notification) => ({
  ...rest,
  data: { ...data, content: data.contents },
})

export function notificationRoutes(server: Server, ctx: Context) {
  const { sql, config } = ctx
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/notification-statistics', {
    operationId: 'getNotificationStatistics',
    summary: 'Read unread counts and a preview of each type',
    access: 'user',
    reply: { 200: Statistics },
    handler: async ({ viewer, language }) => {
      const { types, told } = await readStatistics(ctx, viewer.id)
      return statisticsView(types, language, told)
    },
  })

  route('GET /user/notifications', {
    operationId: 'listNotifications',
    summary: 'List notifications of a type, newest first',
    access: 'user',
    query: ListQuery,
    reply: { 200: NotificationsReply },
    returns: 'A page, or a list without paging data for older clients (notifications-4).',
    errors: [typeNeeded],
    handler: async ({ viewer, query, language }) => {
      const { type, offset, after = 0, limit = PAGE_SIZE } = query
      if (type === undefined && offset === undefined) throw typeNeeded()
      const page = offset === undefined ? (query.page ?? 1) : Math.floor(offset / limit) + 1
      const skipped = offset ?? (page - 1) * limit
      const found = await findPage(ctx, viewer.id, type, { limit, offset: skipped, after })
      const path = `${config.publicUrl}/api/v2/user/notifications`
      const told = await findMissing(ctx, found.rows, () => viewer.id)
      if (type === undefined && offset !== undefined)
        return found.rows.map((row) => olderView(notificationView(row, language, told)))
      return pageView(found, { type, limit, page, offset, after, path }, language, told)
    },
  })

  route('GET /user/notifications/:notification', {
    operationId: 'getNotification',
    summary: 'Read one notification',
    access: 'user',
    params: NotificationParams,
    reply: { 200: Notification },
    errors: [noSuchNotification],
    handler: async ({ viewer, params, language }) => {
      const row = UUID.test(params.notification)
        ? await findNotification(ctx, viewer.id, params.notification)
        : undefined
      if (!row) throw noSuchNotification()
      return notificationView(row, language, await findMissing(ctx, [row], () => viewer.id))
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
