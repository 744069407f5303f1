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

/** What is kept of notifications that nobody reads: for so many days, and so many of a type. */
export type Bounds = { days: number; most: number }

/** The notifications of one type of a person. */
type Pile = { user_id: number; type: NotificationType }

/** The next piles in the order of their keys, and whether there is too much on each. */
export const listPiles = (sql: Db, after: Pile, { days, most }: Bounds, limit: number) => sql<
  (Pile & { is_over: boolean })[]
>`
  select user_id, type, total > ${most} or unread > 0 and coalesce((
    select n.created_at < now() - make_interval(days => ${days}) from notifications n
    where n.user_id = c.user_id and n.type = c.type and n.seq > c.read_seq order by n.seq limit 1
  ), false) as is_over
  from notification_counts c where (user_id, type) > (${after.user_id}, ${after.type})
  order by user_id, type limit ${limit}`

/**
 * Deletes up to `limit` notifications of a pile: the oldest beyond the number, read or not, or else unread ones that are too
 * old. Answers how many went.
 */
export async function deleteSurplus(
  sql: Db,
  pile: Pile,
  { days, most }: Bounds,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ gone: number }]>`
    -- Marking as read, telling and taking back take the same lock.
    with locked as (
      select user_id, type, unread, total, read_seq from notification_counts
      where user_id = ${pile.user_id} and type = ${pile.type} for update
    ),
    old as (
      (
        select n.user_id, n.seq from notifications n, locked l
        where n.user_id = ${pile.user_id} and n.type = ${pile.type}
        order by n.seq limit (select least(greatest(total - ${most}, 0), ${limit}) from locked)
      )
      union
      (
        select n.user_id, n.seq from (
          select user_id, seq, created_at from notifications
          where user_id = ${pile.user_id} and type = ${pile.type} and seq > (select read_seq from locked)
          order by seq limit ${limit}
        ) as n where n.created_at < now() - make_interval(days => ${days})
      )
    ),
    gone as (
      delete from notifications n using old o where n.user_id = o.user_id and n.seq = o.seq
      returning n.user_id, n.type, n.seq
    ),
    counted as (
      -- From what was locked: constraints are checked before a row that changed meanwhile is read anew.
      update notification_counts kept set total = g.total, unread = g.unread
      from (
        select l.user_id, l.type, l.total - count(*) as total,
          l.unread - count(*) filter (where g.seq > l.read_seq) as unread
        from gone g join locked l using (user_id, type) group by l.user_id, l.type, l.total, l.unread
      ) as g
      where kept.user_id = g.user_id and kept.type = g.type
    )
    select count(*)::int as gone from gone`
  return row.gone
}

/** How many notifications are beyond the bounds. */
export async function countSurplus(sql: Db, { days, most }: Bounds): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select n.created_at, n.seq > c.read_seq as is_unread, c.total > ${most}
        and row_number() over (partition by n.user_id, n.type order by n.seq desc) > ${most} as is_beyond
      from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
    ) as kept
    where is_beyond or is_unread and created_at < now() - make_interval(days => ${days})`
  return row.count
}
