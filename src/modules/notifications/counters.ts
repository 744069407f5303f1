import type { CounterCheck, Drift } from '#contracts/counters.ts'
import type { Db } from '#platform/database'

const recounted = (sql: Db) => sql`
  select user_id, type, coalesce(c.unread, 0) as unread, coalesce(c.total, 0) as total,
    coalesce(n.unread, 0) as unread_now, coalesce(n.total, 0) as total_now, coalesce(n.last_seq, 0) as last_seq
  from notification_counts c full join (
    select o.user_id, o.type, count(*) as total, max(o.seq) as last_seq,
      count(*) filter (where o.seq > coalesce(k.read_seq, 0)) as unread
    from notifications o left join notification_counts k on k.user_id = o.user_id and k.type = o.type
    group by o.user_id, o.type
  ) as n using (user_id, type)
  where coalesce(c.unread, 0) <> coalesce(n.unread, 0) or coalesce(c.total, 0) <> coalesce(n.total, 0)`

export const notificationCounters: CounterCheck[] = [
  {
    name: 'notification_counts.unread',
    find: (sql) => sql<Drift[]>`
      select user_id || ' ' || type as key, unread::bigint as kept, unread_now::bigint as counted
      from (${recounted(sql)}) as found where unread <> unread_now limit 100`,
    mend,
  },
  {
    name: 'notification_counts.total',
    find: (sql) => sql<Drift[]>`
      select user_id || ' ' || type as key, total::bigint as kept, total_now::bigint as counted
      from (${recounted(sql)}) as found where total <> total_now limit 100`,
    mend,
  },
]

/**
 * Adds the difference to each wrong counter instead of setting it, so that concurrent writes are not lost.
 */
async function mend(sql: Db): Promise<number> {
  const [row] = await sql<[{ wrong: number }]>`
    with wrong as (${recounted(sql)}),
    changed as (
      update notification_counts kept
      set unread = kept.unread + w.unread_now - w.unread, total = kept.total + w.total_now - w.total,
        last_seq = greatest(kept.last_seq, w.last_seq)
      from wrong w where kept.user_id = w.user_id and kept.type = w.type
    ),
    added as (
      insert into notification_counts (user_id, type, unread, total, last_seq)
      select user_id, type, unread_now, total_now, last_seq from wrong on conflict do nothing
    )
    select count(*)::int as wrong from wrong`
  return row.wrong
}
