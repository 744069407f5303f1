import type { Db } from '#platform/database.ts'
import { Nullable, OneOf, type Static, Time, Type } from '#platform/schema.ts'
import { Notification } from '../schema.ts'

/** Comments that wait for the person to decide on a pin, counted by the module that knows them. */
export type PendingPins = { count: number; time: string | null }
export type FindPendingPins = (sql: Db, userId: number, since: string | null) => Promise<PendingPins>

/** Handed over by app.ts, because pins are above this module; what is missing counts as none. */
export type PinSources = { 'feed-comment-pinned'?: FindPendingPins; 'news-comment-pinned'?: FindPendingPins }

export const COUNTERS = [
  'following',
  'liked',
  'commented',
  'system',
  'news-comment-pinned',
  'feed-comment-pinned',
  'mutual',
  'at',
] as const

/** R §10.5. */
export const Counts = Type.Object({
  user: Type.Object({
    following: Type.Integer(),
    liked: Type.Integer(),
    commented: Type.Integer(),
    system: Type.Integer(),
    'news-comment-pinned': Type.Integer(),
    'feed-comment-pinned': Type.Integer(),
    mutual: Type.Integer(),
    at: Type.Integer(),
  }),
})
export type Counts = Static<typeof Counts>

export const ClearBody = Type.Object({ type: Type.Optional(OneOf(COUNTERS)) })

const Doer = Type.Object({
  user_id: Type.Integer(),
  time: Time,
  user: Type.Object({ id: Type.Integer(), name: Type.String() }),
})
const Pending = Type.Object({ time: Nullable(Time), count: Type.Integer() })

/** The overview of earlier clients (R §10.5). */
export const UnreadCount = Type.Object({
  counts: Type.Object({
    user_id: Type.Integer(),
    unread_comments_count: Type.Integer(),
    unread_likes_count: Type.Integer(),
    unread_follows_count: Type.Integer(),
    unread_at_count: Type.Integer(),
    system: Type.Integer(),
  }),
  comments: Type.Array(Doer),
  likes: Type.Array(Doer),
  pinneds: Type.Object({ feeds: Pending, 'news-comments': Pending }),
  system: Nullable(Notification),
  atme: Type.Object({ users: Type.Array(Type.String()), latest_at: Nullable(Time) }),
})
export type UnreadCount = Static<typeof UnreadCount>
