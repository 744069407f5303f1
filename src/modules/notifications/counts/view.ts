import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Language } from '#platform/errors.ts'
import type { findStatistics, NotificationRow } from '../queries.ts'
import type { NotificationType } from '../schema.ts'
import { statisticsView, type Told } from '../view.ts'
import type { PendingPins, UnreadCount } from './schema.ts'

/** The overview of earlier clients (notifications-10). */
export function unreadCountView(
  userId: number,
  rows: Awaited<ReturnType<typeof findStatistics>>,
  pins: { feeds: PendingPins; 'news-comments': PendingPins },
  language: Language,
  told: Told,
): UnreadCount {
  const { at, comment, like, system, follow } = statisticsView(rows, language, told)
  const newest = (type: NotificationType) =>
    rows.filter((row): row is typeof row & NotificationRow => row.kind === type && row.id !== null)
  const doers = (type: NotificationType) =>
    newest(type).map((row) => ({
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
      system: system.badge,
    },
    comments: doers('comment'),
    likes: doers('like'),
    pinneds: { feeds: pendingView(pins.feeds), 'news-comments': pendingView(pins['news-comments']) },
    system: system.first,
    atme: { users: at.preview_users_names, latest_at: wireTimeOrNull(newest('at')[0]?.created_at ?? null) },
  }
}

const pendingView = ({ count, time }: PendingPins) => ({ count, time: wireTimeOrNull(time) })
