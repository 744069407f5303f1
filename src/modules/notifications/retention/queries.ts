import type { Db } from '#platform/database.ts'
import type { NotificationType } from '../schema.ts'

/** A point up to which a person has read a type. */
type Mark = { user_id: number; type: NotificationType; seq: number }

/** Deletes up to `limit` notifications that were read longer ago than `days`, with the oldest marks as guide. */
export async function deleteRead(
  sql: Db,
  days: number,
  limit: number,
): Promise<{ gone: number; marks: Mark[] }> {
  const marks = await sql<Mark[]>`
    select user_id, type, seq from notification_reads
    where read_at < now() - make_interval(days => ${days}) order by read_at limit 200`
  if (marks.length === 0) return { gone: 0, marks }
  const [row] = await sql<[{ gone: number }]>`
    with marks as (
      select user_id, type, max(seq) as seq
      from jsonb_to_recordset(${sql.json(marks as never)}) as m (user_id bigint, type text, seq bigint)
      group by user_id, type
    ),
    locked as (
      select user_id, type from notification_counts
      where (user_id, type) in (select user_id, type from marks) order by user_id, type for update
    ),
    old as (
      select n.user_id, n.seq from marks m join locked l on l.user_id = m.user_id and l.type = m.type
      cross join lateral (
        select user_id, seq from notifications
        where user_id = m.user_id and type = m.type and seq <= m.seq order by seq limit ${limit}
      ) as n
      limit ${limit}
    ),
    gone as (
      delete from notifications n using old o where n.user_id = o.user_id and n.seq = o.seq
      returning n.user_id, n.type
    ),
    counted as (
      update notification_counts kept set total = kept.total - g.number
      from (select user_id, type, count(*) as number from gone group by user_id, type) as g
      where kept.user_id = g.user_id and kept.type = g.type
    )
    select count(*)::int as gone from gone`
  return { gone: row.gone, marks }
}

/** Forgets marks that cover nothing any more. */
export async function deleteMarks(sql: Db, marks: Mark[]): Promise<void> {
  await sql`
    delete from notification_reads r
    using jsonb_to_recordset(${sql.json(marks as never)}) as m (user_id bigint, type text, seq bigint)
    where r.user_id = m.user_id and r.type = m.type and r.seq = m.seq`
}
