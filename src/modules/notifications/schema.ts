import {
  Cursor,
  Direction,
  Limit,
  Nullable,
  OneOf,
  Page,
  Shared,
  type Static,
  Type,
  ZuluTime,
} from '#platform/schema.ts'
import type { SystemType } from './codes.ts'

/** What a notification is about (specification 4.9). */
export const NOTIFICATION_TYPES = ['at', 'comment', 'like', 'system', 'follow'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** One thing to tell to some people. */
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

const Sender = Type.Object({ id: Type.Integer(), name: Type.String() })

/** Specification 2.9; the objects that R §10.2 and §10.3 name for a type are there besides. */
const NotificationData = Type.Object(
  {
    contents: Type.String(),
    sender: Sender,
    commentable: Type.Object({ type: Type.String(), id: Type.Integer() }),
    resource: Type.Optional(
      Type.Object({
        type: Type.Unsafe<string | number>({
          type: ['string', 'integer'],
          description: 'An integer for system notifications',
        }),
        id: Type.Integer(),
      }),
    ),
  },
  { additionalProperties: true },
)

export const Notification = Shared('Notification', {
  id: Type.String({ description: 'A UUID' }),
  created_at: ZuluTime,
  read_at: Nullable(ZuluTime),
  data: NotificationData,
})
export type Notification = Static<typeof Notification>

const Preview = Type.Object({
  badge: Type.Integer(),
  last_created_at: Nullable(ZuluTime),
  preview_users_names: Type.Array(Type.String()),
})

export const Statistics = Type.Object({
  at: Preview,
  comment: Preview,
  like: Preview,
  system: Type.Object({ badge: Type.Integer(), first: Nullable(Notification) }),
  follow: Type.Object({ badge: Type.Integer() }),
})
export type Statistics = Static<typeof Statistics>

/** The query of GET /user/message/atme (R §16). */
export const MentionQuery = Type.Object({ limit: Limit(), index: Cursor, direction: Direction })

/** Where somebody was mentioned: the list of earlier clients, who fetch the thing itself by its id. */
export const Mention = Type.Object({
  id: Type.Integer({ description: 'Orders this list, and is its `index`' }),
  user_id: Type.Integer({ description: 'Who was mentioned' }),
  resourceable: Type.Object({ type: Type.String(), id: Type.Integer() }),
  created_at: ZuluTime,
})
export type Mention = Static<typeof Mention>

export const ListQuery = Type.Object({ type: OneOf(NOTIFICATION_TYPES), page: Page })
export const ReadBody = Type.Object({ type: OneOf(NOTIFICATION_TYPES) })

export const NotificationPage = Type.Object({
  data: Type.Array(Notification),
  links: Type.Object({
    first: Type.String(),
    last: Type.String(),
    prev: Nullable(Type.String()),
    next: Nullable(Type.String()),
  }),
  meta: Type.Object({
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
