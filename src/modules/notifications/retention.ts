import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import type { NotificationType } from './schema.ts'
import { readNotificationSettings } from './settings.ts'

type Mark = { user_id: number; type: NotificationType; seq: number }

/** Deletes notifications that were read more than `days` ago, up to `limit` for each user and type. */
export async function deleteRead(
  sql: Db,
  days: number,
  limit: number,
): Promise<{ gone: number; marks: Mark[] }> {
  const marks = await sql<Mark[]>`
    select user_id, type, seq from notification_reads
    where read_at < now() - make_interval(days => ${days}) order by read_at limit 200`
  const piles = Object.values(Object.groupBy(marks, ({ user_id, type }) => `${user_id} ${type}`))
  let gone = 0
  for (const pile of piles as [Mark, ...Mark[]][]) {
    const { user_id, type } = pile[0]
    const upTo = Math.max(...pile.map(({ seq }) => seq))
    const [row] = await sql<[{ gone: number }]>`
      with locked as (
        select type from notification_counts where user_id = ${user_id} and type = ${type} for update
      ),
      old as (
        select n.seq from notifications n, locked
        where n.user_id = ${user_id} and n.type = ${type} and n.seq <= ${upTo} order by n.seq limit ${limit}
      ),
      gone as (
        delete from notifications n using old o where n.user_id = ${user_id} and n.seq = o.seq returning n.seq
      ),
      counted as (
        update notification_counts kept set total = greatest(kept.total - g.number, kept.unread)
        from (select count(*) as number from gone) as g
        where kept.user_id = ${user_id} and kept.type = ${type} and g.number > 0
      )
      select count(*)::int as gone from gone`
    gone += row.gone
  }
  return { gone, marks }
}

async function deleteMarks(sql: Db, marks: Mark[]): Promise<void> {
  await sql`
    delete from notification_reads r
    using jsonb_to_recordset(${sql.json(marks as never)}) as m (user_id bigint, type text, seq bigint)
    where r.user_id = any(${marks.map(({ user_id }) => user_id)}::bigint[])
      and r.user_id = m.user_id and r.type = m.type and r.seq = m.seq`
}

type Bounds = { days: number; most: number }

type Pile = { user_id: number; type: NotificationType }

/**
 * Lists users and notification types. `is_over`: more than `most` notifications, or an unread one older than
 * `days`.
 */
const listPiles = (sql: Db, after: Pile, { days, most }: Bounds, limit: number) => sql<
  (Pile & { is_over: boolean })[]
>`
  select user_id, type, total > ${most} or unread > 0 and coalesce((
    select n.created_at < now() - make_interval(days => ${days}) from notifications n
    where n.user_id = c.user_id and n.type = c.type and n.seq > c.read_seq order by n.seq limit 1
  ), false) as is_over
  from notification_counts c where (user_id, type) > (${after.user_id}, ${after.type})
  order by user_id, type limit ${limit}`

/**
 * Deletes the oldest notifications above `most`, and unread notifications older than `days`. Returns the
 * number of deleted notifications.
 */
export async function deleteSurplus(
  sql: Db,
  pile: Pile,
  { days, most }: Bounds,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ gone: number }]>`
    -- Marking notifications as read and withdrawing notifications take the same lock.
    with locked as (
      select unread, total, read_seq from notification_counts
      where user_id = ${pile.user_id} and type = ${pile.type} for update
    ),
    old as (
      (
        select n.seq from notifications n, locked l
        where n.user_id = ${pile.user_id} and n.type = ${pile.type}
        order by n.seq limit (select least(greatest(total - ${most}, 0), ${limit}) from locked)
      )
      union
      (
        select n.seq from (
          select seq, created_at from notifications
          where user_id = ${pile.user_id} and type = ${pile.type} and seq > (select read_seq from locked)
          order by seq limit ${limit}
        ) as n where n.created_at < now() - make_interval(days => ${days})
      )
    ),
    gone as (
      delete from notifications n using old o where n.user_id = ${pile.user_id} and n.seq = o.seq returning n.seq
    ),
    counted as (
      -- Computes counters from the locked row, because "kept" may be an outdated version of the row.
      -- PostgreSQL checks constraints with the outdated version before it rereads the row.
      update notification_counts kept set total = g.total, unread = g.unread
      from (
        select l.total - count(*) as total, l.unread - count(*) filter (where g.seq > l.read_seq) as unread
        from gone g, locked l group by l.total, l.unread
      ) as g
      where kept.user_id = ${pile.user_id} and kept.type = ${pile.type}
    )
    select count(*)::int as gone from gone`
  return row.gone
}

async function countSurplus(sql: Db, { days, most }: Bounds): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select n.created_at, n.seq > c.read_seq as is_unread, c.total > ${most}
        and row_number() over (partition by n.user_id, n.type order by n.seq desc) > ${most} as is_beyond
      from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
    ) as kept
    where is_beyond or is_unread and created_at < now() - make_interval(days => ${days})`
  return row.count
}

const PILES = 1000
const AT_ONCE = 5000

async function readBounds(ctx: Context): Promise<Bounds> {
  const settings = await readNotificationSettings(ctx)
  return { days: settings['notifications:keep-unread-days'], most: settings['notifications:keep-most'] }
}

export async function tidyNotifications(ctx: Context, batch = AT_ONCE): Promise<void> {
  const days = (await readNotificationSettings(ctx))['notifications:keep-read-days']
  for (;;) {
    const { gone, marks } = await deleteRead(ctx.sql, days, batch)
    if (marks.length === 0) break
    // Fewer deletions than `batch` mean that all notifications covered by `marks` are deleted.
    if (gone < batch) await deleteMarks(ctx.sql, marks)
  }
  await deleteExpiredNotifications(ctx, batch)
}

/**
 * Deletes expired unread notifications, and the oldest above the maximum per user and type. Returns the
 * number of deleted notifications.
 */
export async function deleteExpiredNotifications(ctx: Context, batch = AT_ONCE): Promise<number> {
  const bounds = await readBounds(ctx)
  let gone = 0
  let last: Parameters<typeof listPiles>[1] = { user_id: 0, type: 'at' }
  for (;;) {
    const piles = await listPiles(ctx.sql, last, bounds, PILES)
    for (const pile of piles) {
      if (!pile.is_over) continue
      for (let some = batch; some >= batch; gone += some)
        some = await deleteSurplus(ctx.sql, pile, bounds, batch)
    }
    last = piles.at(-1) ?? last
    if (piles.length < PILES) return gone
  }
}

export const countExpiredNotifications = async (ctx: Context, tx: Db): Promise<number> =>
  countSurplus(tx, await readBounds(ctx))
