import type { Db } from '#platform/database'
import type { NotificationType } from '../schema.ts'

type Unread = Record<NotificationType, number> & {
  mutual: number
  /** Time of the last clearing by counter. Absent counters count all requests. */
  seen: Record<string, string>
}

/**
 * Reads the unread counts and the clearing times of requests. `mutual`: new followers whom the user follows,
 * of the newest 1,000.
 */
export async function findUnread(sql: Db, userId: number): Promise<Unread> {
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

/** Excludes requests up to now from the counts. */
export async function clearPins(sql: Db, userId: number, names: string[]): Promise<void> {
  await sql`
    insert into pin_counters (user_id, name)
    select ${userId}::bigint, name from unnest(${names}::text[]) as names (name) order by name
    on conflict (user_id, name) do update set seen_at = excluded.seen_at`
}

/** Excludes the present followers from the mutual count and leaves them unread. */
export async function clearMutual(sql: Db, userId: number): Promise<void> {
  await sql`
    update notification_counts set mutual_seq = last_seq where user_id = ${userId} and type = 'follow'`
}
