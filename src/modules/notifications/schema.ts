import {
  Cursor,
  CursorBy,
  Direction,
  Int,
  Limit,
  Nullable,
  OneOf,
  Page,
  SameAs,
  Shared,
  type Static,
  Type,
  ZuluTime,
} from '#platform/schema.ts'
import type { SystemType } from './codes.ts'
import { FIELDS } from './system/fields.ts'

/** The kinds of notifications (notifications-1). */
export const NOTIFICATION_TYPES = ['at', 'comment', 'like', 'system', 'follow'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** What to tell to some people. */
export type Notice = {
  recipients: number[]
  /** Who did it; 0 is the system. */
  senderId: number
  /** Who did it where nobody may know: shown to no one, but who blocks them is not told. */
  hiddenSenderId?: number | undefined
  /** What happened, by which `takeBack` finds it again. */
  cause: { type: string; id: number }
} & (
  | { type: Exclude<NotificationType, 'system'>; data: Record<string, unknown> }
  /** `data.type` is one of codes.ts; `data.contents` is made from it when absent. */
  | { type: 'system'; data: { type: SystemType; [name: string]: unknown } }
)

/** Who caused it. */
export const NotificationSender = Shared('NotificationSender', { id: Type.Integer(), name: Type.String() })
const NotificationReference = Shared('NotificationReference', { type: Type.String(), id: Type.Integer() })

/** What every notification says (notifications-6); the table of notifications-9 names what a type has besides. */
const NotificationData = Type.Object(
  {
    contents: Type.String(),
    sender: NotificationSender,
    commentable: NotificationReference,
    type: Type.Optional(Type.String({ description: 'What a system notification tells of' })),
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
    description: 'Its place in the order of its reader, by which lists and the stream go on',
  }),
  created_at: ZuluTime,
  read_at: Nullable(ZuluTime),
  link: Nullable(
    Type.String({ description: 'where the web client shows it; null where it shows no such thing' }),
  ),
  data: NotificationData,
})
export type Notification = Static<typeof Notification>

/** The newest of a type. */
const Preview = Shared('NotificationPreview', {
  badge: Type.Integer(),
  last_created_at: Nullable(ZuluTime),
  preview_users_names: Type.Array(Type.String()),
})

/** Unread numbers and the newest of each type (notifications-3). */
export const Statistics = Shared('NotificationStatistics', {
  at: Preview,
  comment: Preview,
  like: Preview,
  system: Shared('SystemStatistics', { badge: Type.Integer(), first: Nullable(Notification) }),
  follow: Shared('FollowStatistics', { badge: Type.Integer() }),
})
export type Statistics = Static<typeof Statistics>

/** A page of mentions (notifications-11). */
export const MentionQuery = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: SameAs('index', Cursor),
  direction: Direction,
})

/** Where somebody was mentioned: the list of earlier clients, who fetch the content itself by its id. */
export const Mention = Shared('Mention', {
  id: Type.Integer({ description: 'Orders this list, and is its `index`' }),
  user_id: Type.Integer({ description: 'Who was mentioned' }),
  resourceable: NotificationReference,
  created_at: ZuluTime,
})
export type Mention = Static<typeof Mention>

/** A page of a type (notifications-4); by `after`, or with a row offset of earlier clients, also of all types. */
export const ListQuery = Type.Object({
  type: Type.Optional(OneOf(NOTIFICATION_TYPES)),
  limit: Limit(),
  after: CursorBy('seq'),
  page: Page,
  offset: Type.Optional(Int(0, 1_000_000_000)),
})

/** Which type is read. */
export const ReadBody = Shared('NotificationsRead', { type: OneOf(NOTIFICATION_TYPES) })

/** A page of notifications with links to the others. */
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
    from: Nullable(Type.Integer()),
    last_page: Type.Integer(),
    path: Type.String(),
    per_page: Type.Integer(),
    to: Nullable(Type.Integer()),
    total: Type.Integer(),
  }),
})
export type NotificationPage = Static<typeof NotificationPage>
