import type { Db } from '#platform/database.ts'
import type { Notice, NotificationType } from './schema.ts'

/** The name of the signal that carries the ids of people with something new. */
export const SIGNAL = 'notifications'

/**
 * Writes notifications for many people in one statement, rows locked in the order of people. Leaves out unknown and
 * disabled people, those who block the sender, and who has the same thing unread already.
 */
export async function insertNotices(
  sql: Db,
  notices: Notice[],
  to: { users: number[]; ids: string[]; positions: number[] },
): Promise<void> {
  const told = notices.map(({ type, senderId, cause, data }, position) => ({
    position,
    type,
    sender_id: senderId,
    data,
    cause_type: cause.type,
    cause_id: cause.id,
  }))
  await sql`
    with given as (
      select t.user_id, t.id, n.*
      from unnest(${to.users}::bigint[], ${to.ids}::uuid[], ${to.positions}::int[]) as t (user_id, id, position)
      join jsonb_to_recordset(${sql.json(told as never)}) as n
        (position int, type text, sender_id bigint, data jsonb, cause_type text, cause_id bigint) using (position)
      join users u on u.id = t.user_id and u.deleted_at is null
      where not exists (select from user_blocks b where b.user_id = t.user_id and b.target_id = n.sender_id)
        and (n.type = 'system' or not exists (
          select from notifications o
          where o.cause_type = n.cause_type and o.cause_id = n.cause_id and o.sender_id = n.sender_id
            and o.user_id = t.user_id and o.type = n.type
            and o.seq > (select c.read_seq from notification_counts c where c.user_id = o.user_id and c.type = o.type)
        ))
    ),
    moved as (
      insert into notification_cursors (user_id, last_seq)
      select user_id, count(*) from given group by user_id order by user_id
      on conflict (user_id) do update set last_seq = notification_cursors.last_seq + excluded.last_seq
      returning user_id, last_seq
    ),
    made as (
      insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id)
      select g.user_id, m.last_seq + 1 - row_number() over (partition by g.user_id order by g.position desc),
        g.id, g.type, g.sender_id, g.data, g.cause_type, g.cause_id
      from given g join moved m on m.user_id = g.user_id
      returning user_id, type, seq
    ),
    counted as (
      insert into notification_counts as kept (user_id, type, unread, total, last_seq)
      select user_id, type, count(*), count(*), max(seq) from made group by user_id, type order by user_id, type
      on conflict (user_id, type) do update set
        unread = kept.unread + excluded.unread, total = kept.total + excluded.total, last_seq = excluded.last_seq
    )
    -- A payload holds less than 8,000 bytes.
    select pg_notify('kith', ${`${SIGNAL}:`}::text || string_agg(user_id::text, ',')) from (
      select user_id, (row_number() over (order by user_id)) / 400 as part from moved
    ) as people group by part`
}

/** What of a cause is to be taken back. */
export type Taken = { type?: NotificationType; senderId?: number; cause: { type: string; id: number } }

/** Deletes up to `limit` unread notifications of a cause and lowers the counts by them; answers how many went. */
export async function deleteUnread(
  sql: Db,
  { type, senderId, cause }: Taken,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ gone: number }]>`
    with found as (
      select n.user_id, n.type, n.seq
      from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
      where n.cause_type = ${cause.type} and n.cause_id = ${cause.id} and n.seq > c.read_seq
        ${senderId === undefined ? sql`` : sql`and n.sender_id = ${senderId}`}
        ${type === undefined ? sql`` : sql`and n.type = ${type}`}
      limit ${limit}
    ),
    -- Marking as read takes the same lock, so what is unread here stays so until the commit.
    locked as (
      select user_id, type, read_seq from notification_counts
      where (user_id, type) in (select user_id, type from found) order by user_id, type for update
    ),
    gone as (
      delete from notifications n using found f, locked l
      where n.user_id = f.user_id and n.seq = f.seq
        and l.user_id = f.user_id and l.type = f.type and n.seq > l.read_seq
      returning n.user_id, n.type
    ),
    counted as (
      update notification_counts kept set unread = kept.unread - g.number, total = kept.total - g.number
      from (select user_id, type, count(*) as number from gone group by user_id, type) as g
      where kept.user_id = g.user_id and kept.type = g.type
    )
    select count(*)::int as gone from gone`
  return row.gone
}
