import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { markRead } from '../queries.ts'
import type { NotificationType } from '../schema.ts'
import { readStatistics } from '../system/service.ts'
import { clearMutual, clearPins, findUnread } from './queries.ts'
import { ClearBody, COUNTERS, Counts, type FindPendingPins, type PinSources, UnreadCount } from './schema.ts'
import { unreadCountView } from './view.ts'

const none: FindPendingPins = async () => ({ count: 0, time: null })
const TYPE_OF: Partial<Record<(typeof COUNTERS)[number], NotificationType>> = {
  following: 'follow',
  liked: 'like',
  commented: 'comment',
  system: 'system',
  at: 'at',
}

/** The counters of earlier clients (notifications-10); `pins` counts what waits for the person in higher modules. */
export const countRoutes =
  (pins: PinSources = {}) =>
  (server: Server, ctx: Context) => {
    const { sql } = ctx
    const route = routesOn(server, ctx, { tag: 'Notifications' })
    const feedPins = pins['feed-comment-pinned'] ?? none
    const newsPins = pins['news-comment-pinned'] ?? none

    route('GET /user/counts', {
      operationId: 'getUnreadCounts',
      summary: 'Read unread numbers',
      access: 'user',
      reply: { 200: Counts },
      handler: async ({ viewer: { id } }) => {
        const unread = await findUnread(sql, id)
        const [feeds, news] = await Promise.all([
          feedPins(sql, id, unread.feed_pins),
          newsPins(sql, id, unread.news_pins),
        ])
        return {
          user: {
            following: unread.follow,
            liked: unread.like,
            commented: unread.comment,
            system: unread.system,
            'news-comment-pinned': news.count,
            'feed-comment-pinned': feeds.count,
            mutual: unread.mutual,
            at: unread.at,
          },
        }
      },
    })

    route('PATCH /user/counts', {
      operationId: 'clearUnreadCounts',
      summary: 'Clear one or all unread numbers',
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
      summary: 'Read unread numbers with who caused them',
      access: 'user',
      reply: { 200: UnreadCount },
      handler: async ({ viewer: { id }, request }) => {
        const [{ rows, told }, unread] = await Promise.all([readStatistics(ctx, id), findUnread(sql, id)])
        const [feeds, news] = await Promise.all([
          feedPins(sql, id, unread.feed_pins),
          newsPins(sql, id, unread.news_pins),
        ])
        return unreadCountView(id, rows, { feeds, 'news-comments': news }, language(request), told)
      },
    })
  }
