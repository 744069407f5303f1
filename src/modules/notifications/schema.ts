import {
  Cursor,
  CursorBy,
  Direction,
  Int,
  Limit,
  Nullable,
  OneOf,
  Page,
  Shared,
  type Static,
  Text,
  Type,
  WithAlias,
  ZuluTime,
} from '#platform/http'
import { FIELDS } from './system/fields.ts'
import type { SystemType } from './system/notices.ts'

export const NOTIFICATION_TYPES = ['at', 'comment', 'like', 'system', 'follow'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

export type Notice = {
  recipients: number[]
  senderId: number
  /** Real sender of an anonymous action. A recipient who blocks this user gets no notification. */
  hiddenSenderId?: number | undefined
  /** Publishes no webhook events, because an event would name its recipient, such as an anonymous author. */
  hidesRecipients?: boolean | undefined
  /** Content or action that causes the notification. `withdrawNotifications` searches by `cause`. */
  cause: { type: string; id: number }
} & (
  | { type: Exclude<NotificationType, 'system'>; data: Record<string, unknown> }
  /** Without `data.contents`, the notification has the default text for `data.type`. */
  | { type: 'system'; data: { type: SystemType; [name: string]: unknown } }
)

export const NotificationSender = Shared('NotificationSender', { id: Type.Integer(), name: Type.String() })
const NotificationReference = Shared('NotificationReference', { type: Type.String(), id: Type.Integer() })

/**
 * Fields of every notification (notifications-6). notifications-9 lists the additional fields of each type.
 */
const NotificationData = Type.Object(
  {
    contents: Type.String(),
    sender: NotificationSender,
    commentable: NotificationReference,
    kind: Type.Optional(Type.String({ description: 'Kind of a system notification' })),
    type: Type.Optional(
      Type.String({ description: 'Same as `kind`, with the name that older clients expect' }),
    ),
    ...Type.Partial(Type.Object(FIELDS)).properties,
    resource: Type.Optional(
      Shared('NotificationResource', {
        type: Type.Unsafe<string | number>({
          type: ['string', 'integer'],
          description: 'An integer for system notifications',
        }),
        id: Type.Integer(),
      }),
    ),
  },
  { additionalProperties: true, title: 'NotificationData' },
)

export const Notification = Shared('Notification', {
  id: Type.String({ description: 'A UUID' }),
  seq: Type.Integer({
    description: 'Sequence number per recipient, from which lists and the stream continue',
  }),
  created_at: ZuluTime,
  read_at: Nullable(ZuluTime),
  link: Nullable(
    Type.String({ description: 'URL in the web client; null when the web client has no page for it' }),
  ),
  data: NotificationData,
})
export type Notification = Static<typeof Notification>

const Preview = Shared('NotificationPreview', {
  badge: Type.Integer(),
  last_created_at: Nullable(ZuluTime),
  preview_users_names: Type.Array(Type.String()),
})

export const Statistics = Shared('NotificationStatistics', {
  at: Preview,
  comment: Preview,
  like: Preview,
  system: Shared('SystemStatistics', { badge: Type.Integer(), first: Nullable(Notification) }),
  follow: Shared('FollowStatistics', { badge: Type.Integer() }),
})
export type Statistics = Static<typeof Statistics>

export const MentionQuery = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: WithAlias('index', Cursor),
  direction: Direction,
})

/** Omits the text of the mention. Older clients fetch the content by its reference in `resourceable`. */
export const Mention = Shared('Mention', {
  id: Type.Integer({ description: 'Sort key and `index` of this list' }),
  user_id: Type.Integer({ description: 'Mentioned user' }),
  resourceable: NotificationReference,
  created_at: ZuluTime,
})
export type Mention = Static<typeof Mention>

/** Clients page by `after`, and older clients by `page` or `offset` (notifications-4). */
export const ListQuery = Type.Object({
  type: Type.Optional(OneOf(NOTIFICATION_TYPES, { description: 'Required without `offset`' })),
  limit: Limit(),
  after: CursorBy('seq'),
  page: Page,
  offset: Type.Optional(
    Int(0, 1_000_000_000, { description: 'Without `type`, the reply is a plain list for older clients' }),
  ),
})

export const NotificationParams = Type.Object({ notification: Text(64) })

export const ReadBody = Shared('NotificationsRead', { type: OneOf(NOTIFICATION_TYPES) })

export const NotificationPage = Shared('NotificationPage', {
  data: Type.Array(Notification),
  links: Shared('PageLinks', {
    first: Type.String(),
    last: Type.String(),
    prev: Nullable(Type.String()),
    next: Nullable(Type.String()),
  }),
  meta: Shared('PageMeta', {
    current_page: Type.Integer(),
    from: Type.Integer(),
    last_page: Type.Integer(),
    path: Type.String(),
    per_page: Type.Integer(),
    to: Type.Integer(),
    total: Type.Integer(),
  }),
})
export type NotificationPage = Static<typeof NotificationPage>

/** Notification with the name of `contents` that web clients before 4.5 read (notifications-4). */
const OlderNotification = Shared('OlderNotification', {
  ...Notification.properties,
  data: Type.Object(
    { ...NotificationData.properties, content: Type.String({ description: 'Same as `contents`' }) },
    { additionalProperties: true, title: 'OlderNotificationData' },
  ),
})
export type OlderNotification = Static<typeof OlderNotification>

export const NotificationsReply = Type.Unsafe<NotificationPage | OlderNotification[]>({
  anyOf: [NotificationPage, Type.Array(OlderNotification)],
})
