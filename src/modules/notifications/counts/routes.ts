import type { FindPendingPins, PendingPins } from '#contracts/content.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import {
  Empty,
  language,
  Nullable,
  OneOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { markRead, type TypeStatistics } from '../queries.ts'
import { Notification, NotificationSender, type NotificationType } from '../schema.ts'
import { readStatistics, statisticsView, type Told } from '../service.ts'

type Unread = Record<NotificationType, number> & {
  mutual: number
  seen: Record<string, string>
}

/** `mutual`: number of the newest 1,000 new followers whom the user also follows. */
async function findUnread(sql: Db, userId: number): Promise<Unread> {
  const [{ followers, ...unread }] = await sql<[Omit<Unread, 'mutual'> & { followers: number[] | null }]>`
    select
      coalesce(max(unread) filter (where type = 'at'), 0)::bigint as at,
      coalesce(max(unread) filter (where type = 'comment'), 0)::bigint as comment,
      coalesce(max(unread) filter (where type = 'like'), 0)::bigint as like,
      coalesce(max(unread) filter (where type = 'system'), 0)::bigint as system,
      coalesce(max(unread) filter (where type = 'follow'), 0)::bigint as follow,
      (select array_agg(sender_id) from (
        select n.sender_id from notifications n
        where n.user_id = ${userId} and n.type = 'follow'
          and n.seq > (select greatest(c.read_seq, c.mutual_seq) from notification_counts c where c.user_id = ${userId} and c.type = 'follow')
        order by n.seq desc limit 1000
      ) as newest) as followers,
      (select coalesce(json_object_agg(name, seen_at), '{}') from pin_counters where user_id = ${userId}) as seen
    from notification_counts where user_id = ${userId}`
  if (followers === null) return { ...unread, mutual: 0 }
  const [{ mutual }] = await sql<[{ mutual: number }]>`
    select count(*) as mutual from unnest(${followers}::bigint[]) as follower
    where exists (select from user_follows f where f.user_id = ${userId} and f.target_id = follower)`
  return { ...unread, mutual }
}

/** Resets the unread counts of pin requests. */
async function clearPins(sql: Db, userId: number, names: string[]): Promise<void> {
  await sql`
    insert into pin_counters (user_id, name)
    select ${userId}::bigint, name from unnest(${names}::text[]) as names (name) order by name
    on conflict (user_id, name) do update set seen_at = excluded.seen_at`
}

/** Resets the `mutual` count, but leaves notifications about new followers unread. */
async function clearMutual(sql: Db, userId: number): Promise<void> {
  await sql`
    update notification_counts set mutual_seq = last_seq where user_id = ${userId} and type = 'follow'`
}

const PENDING = [
  'feed-comment-pinned',
  'news-comment-pinned',
  'post-pinned',
  'post-comment-pinned',
  'group-join-pinned',
] as const
type PendingName = (typeof PENDING)[number]

/** Injected, because the modules with pins are in higher layers. Without a source, a count is zero. */
type PinSources = Partial<Record<PendingName, FindPendingPins>>

const COUNTERS = [
  'following',
  'liked',
  'commented',
  'system',
  'news-comment-pinned',
  'feed-comment-pinned',
  'post-pinned',
  'post-comment-pinned',
  'group-join-pinned',
  'mutual',
  'at',
] as const

const Counts = Shared('UnreadCounts', {
  user: Shared('UnreadNumbers', {
    following: Type.Integer(),
    liked: Type.Integer(),
    commented: Type.Integer(),
    system: Type.Integer(),
    'news-comment-pinned': Type.Integer(),
    'feed-comment-pinned': Type.Integer(),
    'post-pinned': Type.Integer(),
    'post-comment-pinned': Type.Integer(),
    'group-join-pinned': Type.Integer(),
    mutual: Type.Integer(),
    at: Type.Integer(),
  }),
})

const ClearBody = Shared('UnreadCountsClearing', { type: Type.Optional(OneOf(COUNTERS)) })

const Doer = Shared('NotificationDoer', {
  user_id: Type.Integer(),
  time: Time,
  user: NotificationSender,
})
const Pending = Shared('PendingPins', { time: Nullable(Time), count: Type.Integer() })

const UnreadCount = Shared('UnreadOverview', {
  counts: Shared('UnreadOverviewCounts', {
    user_id: Type.Integer(),
    unread_comments_count: Type.Integer(),
    unread_likes_count: Type.Integer(),
    unread_follows_count: Type.Integer(),
    unread_at_count: Type.Integer(),
    unread_group_join_count: Type.Integer(),
    system: Type.Integer(),
  }),
  comments: Type.Array(Doer),
  likes: Type.Array(Doer),
  pinneds: Shared('UnreadOverviewPins', {
    feeds: Pending,
    news: Pending,
    'news-comments': Pending,
    'group-posts': Pending,
    'group-comments': Pending,
  }),
  system: Nullable(Notification),
  atme: Shared('UnreadOverviewMentions', { users: Type.Array(Type.String()), latest_at: Nullable(Time) }),
})
type UnreadCount = Static<typeof UnreadCount>

function unreadCountView(
  userId: number,
  types: TypeStatistics[],
  pending: Record<PendingName, PendingPins>,
  language: Language,
  told: Told,
): UnreadCount {
  const { at, comment, like, system, follow } = statisticsView(types, language, told)
  const newest = (type: NotificationType) => types.find(({ kind }) => kind === type)?.newest ?? []
  /** Users who caused the newest notifications, each once with the newest of theirs. */
  const doers = (type: NotificationType) =>
    newest(type)
      .filter(({ sender_id }, n, rows) => rows.findIndex((row) => row.sender_id === sender_id) === n)
      .map((row) => ({
        user_id: row.sender_id,
        time: wireTime(row.created_at),
        user: { id: row.sender_id, name: row.sender_name },
      }))
  return {
    counts: {
      user_id: userId,
      unread_comments_count: comment.badge,
      unread_likes_count: like.badge,
      unread_follows_count: follow.badge,
      unread_at_count: at.badge,
      unread_group_join_count: pending['group-join-pinned'].count,
      system: system.badge,
    },
    comments: doers('comment'),
    likes: doers('like'),
    pinneds: {
      feeds: pendingView(pending['feed-comment-pinned']),
      news: pendingView(pending['news-comment-pinned']),
      'news-comments': pendingView(pending['news-comment-pinned']),
      'group-posts': pendingView(pending['post-pinned']),
      'group-comments': pendingView(pending['post-comment-pinned']),
    },
    system: system.first,
    atme: { users: at.preview_users_names, latest_at: wireTimeOrNull(newest('at')[0]?.created_at ?? null) },
  }
}

const pendingView = ({ count, time }: PendingPins) => ({ count, time: wireTimeOrNull(time) })

const none: FindPendingPins = async () => ({ count: 0, time: null })
const TYPE_OF: Partial<Record<(typeof COUNTERS)[number], NotificationType>> = {
  following: 'follow',
  liked: 'like',
  commented: 'comment',
  system: 'system',
  at: 'at',
}

export const countRoutes =
  (pins: PinSources = {}) =>
  (server: Server, ctx: Context) => {
    const { sql } = ctx
    const route = routesOn(server, ctx, { tag: 'Notifications' })

    async function findPending(userId: number, seen: Record<string, string>) {
      const found = PENDING.map(async (name) => {
        const source = pins[name] ?? none
        return [name, await source(sql, userId, seen[name] ?? null)] as const
      })
      return Object.fromEntries(await Promise.all(found)) as Record<PendingName, PendingPins>
    }

    route('GET /user/counts', {
      operationId: 'getUnreadCounts',
      summary: 'Read my unread counts',
      access: 'user',
      reply: { 200: Counts },
      handler: async ({ viewer: { id } }) => {
        const unread = await findUnread(sql, id)
        const pending = await findPending(id, unread.seen)
        return {
          user: {
            following: unread.follow,
            liked: unread.like,
            commented: unread.comment,
            system: unread.system,
            'news-comment-pinned': pending['news-comment-pinned'].count,
            'feed-comment-pinned': pending['feed-comment-pinned'].count,
            'post-pinned': pending['post-pinned'].count,
            'post-comment-pinned': pending['post-comment-pinned'].count,
            'group-join-pinned': pending['group-join-pinned'].count,
            mutual: unread.mutual,
            at: unread.at,
          },
        }
      },
    })

    route('PATCH /user/counts', {
      operationId: 'clearUnreadCounts',
      summary: 'Clear one or all unread counts',
      whileSilenced: true,
      access: 'user',
      body: ClearBody,
      reply: { 204: Empty },
      handler: async ({ viewer: { id }, body }) => {
        const names = body.type ? [body.type] : [...COUNTERS]
        const types = names.map((name) => TYPE_OF[name]).filter((type) => type !== undefined)
        const cleared = names.filter((name) => name.endsWith('-pinned'))
        await transaction(sql, async (tx) => {
          if (types.length > 0) await markRead(tx, id, types)
          if (names.includes('mutual')) await clearMutual(tx, id)
          if (cleared.length > 0) await clearPins(tx, id, cleared)
        })
      },
    })

    route('GET /user/unread-count', {
      operationId: 'getUnreadOverview',
      summary: 'Read my unread counts with their latest actors',
      access: 'user',
      reply: { 200: UnreadCount },
      handler: async ({ viewer: { id }, request }) => {
        const [{ types, told }, unread] = await Promise.all([readStatistics(ctx, id), findUnread(sql, id)])
        const pending = await findPending(id, unread.seen)
        return unreadCountView(id, types, pending, language(request), told)
      },
    })
  }
