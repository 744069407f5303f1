import type { Db } from '#platform/database.ts'
import { sendSignal } from '#platform/signals.ts'
import { andPast, directionOf, ifGiven, partOf, when } from '#platform/sql.ts'
import type { SystemType } from './codes.ts'
import type { Notice, NotificationType } from './schema.ts'

/** The name of the signal that carries the ids of people with something new. */
export const SIGNAL = 'notifications'

/** So many ids fit into one signal. */
const PEOPLE_OF_A_SIGNAL = 400

/**
 * Writes notifications for many people in one statement, rows locked in the order of people. Leaves out unknown and
 * disabled people, those who block the sender, and who has the same thing unread already. Open streams hear of it after the commit.
 */
export async function insertNotices(
  sql: Db,
  notices: Notice[],
  to: { users: number[]; ids: string[]; positions: number[] },
): Promise<void> {
  const described = notices.map(({ type, senderId, hiddenSenderId, cause, data }, position) => ({
    position,
    type,
    sender_id: senderId,
    doer_id: hiddenSenderId ?? senderId,
    data,
    cause_type: cause.type,
    cause_id: cause.id,
  }))
  const told = await sql<{ people: string | null }[]>`
    with given as (
      select t.user_id, t.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, position
      from unnest(${to.users}::bigint[], ${to.ids}::uuid[], ${to.positions}::int[]) as t (user_id, id, position)
      join jsonb_to_recordset(${sql.json(described as never)}) as n
        (position int, type text, sender_id bigint, doer_id bigint, data jsonb, cause_type text, cause_id bigint) using (position)
      join users u on u.id = t.user_id and u.deleted_at is null
      where not exists (select from user_blocks b where b.user_id = t.user_id and b.target_id = n.doer_id)
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
      -- Looked up in a map, because a join of two sets of unknown size is planned as a loop in a loop.
      select user_id, ((select jsonb_object_agg(user_id, last_seq) from moved) ->> user_id::text)::bigint
          + 1 - row_number() over (partition by user_id order by position desc),
        id, type, sender_id, data, cause_type, cause_id
      from given
      returning user_id, type, seq
    ),
    counted as (
      insert into notification_counts as kept (user_id, type, unread, total, last_seq)
      select user_id, type, count(*), count(*), max(seq) from made group by user_id, type order by user_id, type
      on conflict (user_id, type) do update set
        unread = kept.unread + excluded.unread, total = kept.total + excluded.total, last_seq = excluded.last_seq
    )
    select string_agg(user_id::text, ',') as people, null as job from (
      select user_id, (row_number() over (order by user_id)) / ${PEOPLE_OF_A_SIGNAL} as part from moved
    ) as parts group by part
    union all
    select null, (graphile_worker.add_job('announce_notifications',
      json_build_object('places', json_agg(json_build_array(user_id, seq))))).id::text
    from made
    where exists (
      select from webhook_endpoints where enabled and (types is null or 'notification.created' = any(types))
    )
    having count(*) > 0
    union all
    select null, (graphile_worker.add_job('push_notifications',
      json_build_object('places', json_agg(json_build_array(user_id, seq))))).id::text
    from made where exists (select from push_devices d where d.user_id = made.user_id)
    having count(*) > 0`
  for (const { people } of told) if (people) sendSignal(sql, SIGNAL, people)
}

/** What of a cause, or of several of one kind, is to be taken back. */
export type Taken = {
  type?: NotificationType
  /** Of system notifications only those of this type. */
  systemType?: SystemType
  senderId?: number
  cause: { type: string; id: number | number[] }
}

/** Deletes up to `limit` unread notifications of a cause and lowers the counts by them; answers how many went. */
export async function deleteUnread(
  sql: Db,
  { type, systemType, senderId, cause }: Taken,
  limit: number,
): Promise<number> {
  const { id } = cause
  const [row] = await sql<[{ gone: number }]>`
    with found as (
      select n.user_id, n.type, n.seq
      from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
      where n.cause_type = ${cause.type} and n.cause_id = ${Array.isArray(id) ? sql`any(${id})` : id}
        and n.seq > c.read_seq
        ${ifGiven(sql, senderId, (sender) => sql`and n.sender_id = ${sender}`)}
        ${ifGiven(sql, type, (kind) => sql`and n.type = ${kind}`)}
        ${ifGiven(sql, systemType, (kind) => sql`and n.type = 'system' and n.data ->> 'type' = ${kind}`)}
      limit ${limit}
    ),
    -- Marking as read takes the same lock, so what is unread here stays so until the commit.
    locked as (
      select user_id, type, read_seq from notification_counts
      where (user_id, type) in (select user_id, type from found) order by user_id, type for update
    ),
    gone as (
      delete from notifications n using found f
      where n.user_id = f.user_id and n.seq = f.seq and n.seq > (
        (select jsonb_object_agg(user_id || type, read_seq) from locked) ->> (f.user_id || f.type)
      )::bigint
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

/** Takes the name of who did it off system notifications of a type that were written already, read or not. */
export const hideSender = (sql: Db, { systemType, senderId, cause }: Required<Omit<Taken, 'type'>>) => sql`
  update notifications set sender_id = 0
  where cause_type = ${cause.type} and cause_id = any(${[cause.id].flat()}) and sender_id = ${senderId}
    and type = 'system' and data ->> 'type' = ${systemType}`

/** A notification as it is stored, with its sender's present name; '' for a disabled or unknown account. */
export type NotificationRow = {
  seq: number
  id: string
  type: NotificationType
  sender_id: number
  sender_name: string
  data: Record<string, unknown>
  /** The text of an administrator's notice, which is kept once for all. */
  notice: string | null
  cause_type: string
  cause_id: number
  created_at: string
  read_at: string | null
}

/** What every list of notifications selects, of a table or subquery `n`. */
export const notificationColumns = (sql: Db) => sql`
  n.seq, n.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, n.created_at,
  case when n.cause_type = 'notices' then (select contents from notices where id = n.cause_id) end as notice,
  coalesce((select u.name from users u where u.id = n.sender_id and u.deleted_at is null), '') as sender_name,
  (select r.read_at from notification_reads r
    where r.user_id = n.user_id and r.type = n.type and r.seq >= n.seq order by r.seq limit 1) as read_at`

/** Notifications at these places (person, place in their order), those taken back left out. */
export const findNotifications = (sql: Db, places: [number, number][]) => sql<
  (NotificationRow & { user_id: number })[]
>`
  select n.user_id, ${notificationColumns(sql)}
  from unnest(${places.map(([user]) => user)}::bigint[], ${places.map(([, seq]) => seq)}::bigint[]) as t (user_id, seq)
  join notifications n on n.user_id = t.user_id and n.seq = t.seq
  order by n.user_id, n.seq`

/** The unread number of each type and its newest five, newest first; one row with nulls for a type without any. */
export const findStatistics = (sql: Db, userId: number) => sql<
  ({ kind: NotificationType; unread: number } & (
    | NotificationRow
    | { [Key in keyof NotificationRow]: null }
  ))[]
>`
  select t.type as kind, coalesce(c.unread, 0)::bigint as unread, newest.*
  from unnest(array['at', 'comment', 'like', 'system', 'follow']) as t (type)
  left join notification_counts c on c.user_id = ${userId} and c.type = t.type
  left join lateral (
    select ${notificationColumns(sql)} from notifications n
    where n.user_id = ${userId} and n.type = t.type order by n.seq desc limit 5
  ) as newest on t.type <> 'follow'
  order by t.type, newest.seq desc`

/** One page of a type, or of all, newest first, with the number of all; one row with nulls when the page is empty. */
export const findPage = (
  sql: Db,
  userId: number,
  type: NotificationType | undefined,
  { limit, offset, after }: { limit: number; offset: number; after: number },
) =>
  sql<({ total: number } & (NotificationRow | { [Key in keyof NotificationRow]: null }))[]>`
  select c.total, page.*
  from (
    select coalesce(sum(total), 0)::bigint as total from notification_counts
    where user_id = ${userId} ${ifGiven(sql, type, (kind) => sql`and type = ${kind}`)}
  ) as c
  left join lateral (
    select ${notificationColumns(sql)}
    -- The rows skipped are counted in the index alone.
    from (
      select user_id, seq from notifications
      where user_id = ${userId} ${ifGiven(sql, type, (kind) => sql`and type = ${kind}`)}
        ${andPast(sql, sql`seq`, after)}
      order by user_id desc, ${when(sql, type !== undefined, () => sql`type desc,`)} seq desc
      ${partOf(sql, { limit, offset, after })}
    ) as found
    join notifications n on n.user_id = found.user_id and n.seq = found.seq
  ) as page on true
  order by page.seq desc`

/** Where a person was mentioned, in their own order. */
export const listMentions = (
  sql: Db,
  userId: number,
  {
    index = 0,
    limit = 15,
    direction = 'desc',
  }: { index?: number; limit?: number; direction?: 'asc' | 'desc' },
) => {
  return sql<Pick<NotificationRow, 'seq' | 'data' | 'cause_type' | 'cause_id' | 'created_at'>[]>`
    select seq, data, cause_type, cause_id, created_at from notifications
    where user_id = ${userId} and type = 'at' ${andPast(sql, sql`seq`, index, direction)}
    order by seq ${directionOf(sql, direction)} limit ${limit}`
}

/** Marks what is unread of these types as read, and when. */
export async function markRead(sql: Db, userId: number, types: readonly NotificationType[]): Promise<void> {
  await sql`
    with locked as (
      select user_id, type from notification_counts
      where user_id = ${userId} and type = any(${types as NotificationType[]}) order by type for update
    ),
    changed as (
      update notification_counts c set unread = 0, read_seq = c.last_seq
      from locked l where c.user_id = l.user_id and c.type = l.type and c.unread > 0
      returning c.user_id, c.type, c.last_seq
    )
    insert into notification_reads (user_id, type, seq) select user_id, type, last_seq from changed`
}

/** Deletes all that somebody was told, and their devices. */
export async function forgetRecipient(tx: Db, userId: number): Promise<void> {
  for (const table of [
    'notifications',
    'notification_counts',
    'notification_reads',
    'notification_cursors',
    'pin_counters',
    'push_devices',
  ])
    await tx`delete from ${tx(table)} where user_id = ${userId}`
}

/** Whether a row of a join holds a notification. */
export const isPresent = <Row extends { id: string | null }>(row: Row): row is Row & NotificationRow =>
  row.id !== null
