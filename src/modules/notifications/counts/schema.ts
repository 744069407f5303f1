import type { Db } from '#platform/database.ts'
import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'
import { Notification, NotificationSender } from '../schema.ts'

/** Comments that wait for the person to decide on a pin, counted by the module that knows them. */
export type PendingPins = { count: number; time: string | null }
export type FindPendingPins = (sql: Db, userId: number, since: string | null) => Promise<PendingPins>

/** Handed over by routes.ts, because pins are above this module; what is missing counts as none. */
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

/** Unread numbers as earlier clients get them (notifications-10). */
export const Counts = Shared('UnreadCounts', {
  user: Shared('UnreadNumbers', {
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

/** Which number is cleared; all without it. */
export const ClearBody = Shared('UnreadCountsClearing', { type: Type.Optional(OneOf(COUNTERS)) })

const Doer = Shared('NotificationDoer', {
  user_id: Type.Integer(),
  time: Time,
  user: NotificationSender,
})
const Pending = Shared('PendingPins', { time: Nullable(Time), count: Type.Integer() })

/** The overview of earlier clients (notifications-10). */
export const UnreadCount = Shared('UnreadOverview', {
  counts: Shared('UnreadOverviewCounts', {
    user_id: Type.Integer(),
    unread_comments_count: Type.Integer(),
    unread_likes_count: Type.Integer(),
    unread_follows_count: Type.Integer(),
    unread_at_count: Type.Integer(),
    system: Type.Integer(),
  }),
  comments: Type.Array(Doer),
  likes: Type.Array(Doer),
  pinneds: Shared('UnreadOverviewPins', { feeds: Pending, 'news-comments': Pending }),
  system: Nullable(Notification),
  atme: Shared('UnreadOverviewMentions', { users: Type.Array(Type.String()), latest_at: Nullable(Time) }),
})
export type UnreadCount = Static<typeof UnreadCount>
