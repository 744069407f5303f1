import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { endings } from '#contracts/ending.ts'
import type { Db, Fragment } from '#platform/database'
import { SYSTEM_NOTICES } from './system/notices.ts'

const OF_DELETION = Object.entries(SYSTEM_NOTICES).flatMap(([type, { ofDeletion }]) =>
  ofDeletion ? [type] : [],
)

/**
 * Selects unread notifications about deleted content. One statement for each kind of content, because an anti-join is
 * faster than a condition for each row.
 */
function selectStrays(sql: Db): Fragment {
  const unread = (from: Fragment, where: Fragment) => sql`
    select n.user_id, n.seq, n.type from notifications n
    join notification_counts c on c.user_id = n.user_id and c.type = n.type and n.seq > c.read_seq
    ${from}
    where ${where} and (n.type <> 'system' or n.data ->> 'type' <> all(${OF_DELETION}))`
  const isGone = (live: (sql: Db) => Fragment, id: Fragment) =>
    sql`not exists (select from (${live(sql)}) l where l.id = ${id})`
  const kinds = endings().flatMap(({ type, live }) => (live === undefined ? [] : [{ type, live }]))
  const own = kinds.map(({ type, live }) =>
    unread(sql``, sql`n.cause_type = ${type} and ${isGone(live, sql`n.cause_id`)}`),
  )
  const attached = endings().flatMap(({ type, on }) =>
    on === undefined
      ? []
      : kinds.map((kind) =>
          unread(
            sql`join (${on(sql)}) o on o.id = n.cause_id and o.content_type = ${kind.type}`,
            sql`n.cause_type = ${type} and ${isGone(kind.live, sql`o.content_id`)}`,
          ),
        ),
  )
  return [...own, ...attached].reduce((all, part) => sql`${all} union ${part}`)
}

const AT_ONCE = 5000

/** Deletes up to `AT_ONCE` stray notifications and corrects the unread numbers. */
async function deleteStrays(sql: Db): Promise<number> {
  const [row] = await sql<[{ gone: number }]>`
    with strays as materialized (
      select user_id, seq, type from (${selectStrays(sql)}) s order by user_id, seq limit ${AT_ONCE}
    ),
    locked as (
      select c.user_id, c.type, c.read_seq from notification_counts c
      where (c.user_id, c.type) in (select user_id, type from strays) order by c.user_id, c.type for update
    ),
    gone as (
      delete from notifications n using strays s, locked l
      where n.user_id = s.user_id and n.seq = s.seq and l.user_id = n.user_id and l.type = n.type and n.seq > l.read_seq
      returning n.user_id, n.type
    ),
    counted as (
      update notification_counts kept set
        unread = greatest(kept.unread - g.number, 0), total = greatest(kept.total - g.number, kept.unread - g.number, 0)
      from (select user_id, type, count(*) as number from gone group by user_id, type) as g
      where kept.user_id = g.user_id and kept.type = g.type
    )
    select count(*)::int as gone from gone`
  return row.gone
}

export const strayNotifications: CounterCheck = {
  name: 'notifications about deleted content',
  find: async (sql) => [
    ...(await sql<Drift[]>`
      select user_id || ' ' || type as key, count(*)::bigint as kept, 0::bigint as counted
      from (${selectStrays(sql)}) s group by user_id, type order by user_id, type limit 100`),
  ],
  async mend(sql) {
    let mended = 0
    for (let gone = AT_ONCE; gone === AT_ONCE; mended += gone) gone = await deleteStrays(sql)
    return mended
  },
}
