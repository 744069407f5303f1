import type { Db } from '#platform/database.ts'
import type { NotificationType } from '../schema.ts'

type Unread = Record<NotificationType, number> & {
  mutual: number
  feed_pins: string | null
  news_pins: string | null
}

/** The unread numbers, and since when pins count. `mutual`: new followers whom the person follows, at most 1,000. */
export async function findUnread(sql: Db, userId: number): Promise<Unread> {
  const [row] = await sql<[Unread]>`
    select
      coalesce(max(unread) filter (where type = 'at'), 0)::bigint as at,
      coalesce(max(unread) filter (where type = 'comment'), 0)::bigint as comment,
      coalesce(max(unread) filter (where type = 'like'), 0)::bigint as like,
      coalesce(max(unread) filter (where type = 'system'), 0)::bigint as system,
      coalesce(max(unread) filter (where type = 'follow'), 0)::bigint as follow,
      (select count(*) from (
        select n.sender_id from notifications n
        where n.user_id = ${userId} and n.type = 'follow'
          and n.seq > (select greatest(c.read_seq, c.mutual_seq) from notification_counts c where c.user_id = ${userId} and c.type = 'follow')
        order by n.seq desc limit 1000
      ) as followers
      join user_follows f on f.user_id = ${userId} and f.target_id = followers.sender_id) as mutual,
      (select seen_at from pin_counters where user_id = ${userId} and name = 'feed-comment-pinned') as feed_pins,
      (select seen_at from pin_counters where user_id = ${userId} and name = 'news-comment-pinned') as news_pins
    from notification_counts where user_id = ${userId}`
  return row
}

/** Lets pins up to now count no more. */
export async function clearPins(sql: Db, userId: number, names: string[]): Promise<void> {
  await sql`
    insert into pin_counters (user_id, name)
    select ${userId}::bigint, name from unnest(${names}::text[]) as names (name) order by name
    on conflict (user_id, name) do update set seen_at = excluded.seen_at`
}

/** Lets the followers so far count no more as mutual ones, leaving them unread. */
export async function clearMutual(sql: Db, userId: number): Promise<void> {
  await sql`
    update notification_counts set mutual_seq = last_seq where user_id = ${userId} and type = 'follow'`
}
