import type { Ending } from '#contracts/ending.ts'
import { type Db, type Fragment, ifGiven, type Row } from '#platform/database'
import type { NotificationType } from './schema.ts'
import type { SystemType } from './system/notices.ts'

/** Conditions for the notifications to withdraw. */
export type Taken = {
  type?: NotificationType
  systemType?: SystemType
  senderId?: number
  cause: { type: string; id: number | number[] }
  recipients?: number[]
  /** Keeps notifications that are newer than this time. */
  until?: string
}

const isTaken = (
  sql: Db,
  { type, systemType, senderId, cause: { type: causeType, id }, until }: Taken,
) => sql`
  n.cause_type = ${causeType} and n.cause_id = ${Array.isArray(id) ? sql`any(${id})` : id}
  ${ifGiven(sql, senderId, (sender) => sql`and n.sender_id = ${sender}`)}
  ${ifGiven(sql, type, (kind) => sql`and n.type = ${kind}`)}
  ${ifGiven(sql, until, (time) => sql`and n.created_at <= ${time}`)}
  ${ifGiven(sql, systemType, (kind) => sql`and n.type = 'system' and n.data ->> 'type' = ${kind}`)}`

export async function findUnreadRecipients(
  sql: Db,
  taken: Taken,
  limit: number,
): Promise<{ users: number[]; areAll: boolean }> {
  const inOrder = (users: number[]) => [...new Set(users)].sort((a, b) => a - b)
  if (taken.recipients) return { users: inOrder(taken.recipients), areAll: true }
  const rows = await sql<{ user_id: number }[]>`
    select n.user_id
    from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
    where ${isTaken(sql, taken)} and n.seq > c.read_seq
    limit ${limit}`
  return { users: inOrder(rows.map(({ user_id }) => user_id)), areAll: rows.length < limit }
}

export type UnreadAfter = Row<'notifications', 'cause_id' | 'sender_id' | 'user_id'>

/** Lists the recipients of unread notifications of `cause`, in the order of the index. */
export const listUnreadAbout = (
  sql: Db,
  cause: { type: string; id: number[] },
  after: UnreadAfter,
  limit: number,
) => sql<UnreadAfter[]>`
  select n.cause_id, n.sender_id, n.user_id
  from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
  where n.cause_type = ${cause.type} and n.cause_id = any(${cause.id}) and n.seq > c.read_seq
    and (n.cause_id, n.sender_id, n.user_id) > (${after.cause_id}, ${after.sender_id}, ${after.user_id})
  group by 1, 2, 3 order by 1, 2, 3 limit ${limit}`

type Reference = { type: string; id: number }

export type Attached = Reference

/** Lists up to `limit` ids of each ending `on` content, in ascending order. */
export async function listAttached(
  sql: Db,
  content: { type: string; ids: number[] },
  endings: readonly Ending[],
  { after, limit }: { after: number; limit: number },
): Promise<Attached[]> {
  const parts = endings.flatMap(({ type, on }) =>
    on === undefined
      ? []
      : [
          sql`
            (select ${type} as type, o.id from (${on(sql)}) o
              where o.content_type = ${content.type} and o.content_id = any(${content.ids}) and o.id > ${after}
              order by o.id limit ${limit})`,
        ],
  )
  if (parts.length === 0) return []
  return sql<Attached[]>`
    select type, id from (${parts.reduce((all, part) => sql`${all} union all ${part}`)}) attached order by type, id`
}

export const databaseTime = async (sql: Db): Promise<string> =>
  (await sql<[{ now: string }]>`select clock_timestamp() as now`)[0].now

const brief = (sql: Db) =>
  sql`n.user_id, n.seq, n.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, n.created_at`

/** A notification with the recipient, as `restoreUnread` needs it. */
export type Withheld = Row<
  'notifications',
  'user_id' | 'seq' | 'id' | 'type' | 'sender_id' | 'data' | 'cause_type' | 'cause_id' | 'created_at'
>

/** Deletes unread notifications of one user that meet the condition `matches` on `notifications n`. */
export const deleteUnreadWhere = (sql: Db, userId: number, matches: Fragment, type?: NotificationType) => sql<
  Withheld[]
>`
  -- Marking as read takes the same lock, so notifications that are unread here stay unread until the
  -- commit.
  with locked as (
    select type, read_seq from notification_counts
    where user_id = ${userId} ${ifGiven(sql, type, (kind) => sql`and type = ${kind}`)}
    order by type for update
  ),
  gone as (
    delete from notifications n using locked l
    where n.user_id = ${userId} and n.type = l.type and n.seq > l.read_seq and ${matches}
    returning ${brief(sql)}
  ),
  counted as (
    update notification_counts kept set
      unread = greatest(kept.unread - g.number, 0), total = greatest(kept.total - g.number, kept.unread - g.number, 0)
    from (select type, count(*) as number from gone group by type) as g
    where kept.user_id = ${userId} and kept.type = g.type
  )
  select * from gone order by seq`

export async function deleteUnread(sql: Db, userId: number, taken: Taken): Promise<void> {
  await deleteUnreadWhere(sql, userId, isTaken(sql, taken), taken.type)
}

/** Deletes unread notifications of one user about `content`, and about what belongs to it. */
export async function deleteUnreadAbout(
  sql: Db,
  userId: number,
  content: { type: string; ids: Fragment },
  endings: readonly Ending[],
): Promise<void> {
  const unread = await sql<{ type: string; ids: number[] }[]>`
    select n.cause_type as type, array_agg(distinct n.cause_id) as ids
    from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
    where n.user_id = ${userId} and n.seq > c.read_seq group by n.cause_type`
  const about: Reference[] = []
  for (const { type, ids } of unread) {
    const on = endings.find((ending) => ending.type === type)?.on
    const own = type === content.type ? [sql`select id from (${content.ids}) own (id)`] : []
    const attached =
      on === undefined
        ? []
        : [
            sql`
              select o.id from (${on(sql)}) o
              where o.id = any(${ids}) and o.content_type = ${content.type} and o.content_id in (${content.ids})`,
          ]
    for (const select of [...own, ...attached]) {
      const rows = await sql<{ id: number }[]>`select f.id from (${select}) f where f.id = any(${ids})`
      about.push(...rows.map(({ id }) => ({ type, id })))
    }
  }
  for (const [type, causes] of Map.groupBy(about, (each) => each.type))
    await deleteUnread(sql, userId, { cause: { type, id: causes.map(({ id }) => id) } })
}

/** Finds unread notifications of `users` from `senders`. */
const findUnreadFrom = (
  sql: Db,
  type: NotificationType,
  { users, senders }: { users: number[]; senders: number[] },
) => sql<{ user_id: number; sender_id: number; cause_type: string; cause_id: number }[]>`
  select n.user_id, n.sender_id, n.cause_type, n.cause_id
  from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type
  where n.user_id = any(${users}::bigint[]) and n.sender_id = any(${senders}::bigint[]) and n.type = ${type} and n.seq > c.read_seq
  order by n.user_id`

/** Puts notifications of one user and type back. They are read if the user has marked all as read meanwhile. */
async function restoreUnread(
  sql: Db,
  userId: number,
  type: NotificationType,
  withheld: readonly Withheld[],
): Promise<void> {
  await sql`
    with locked as (
      select type, read_seq from notification_counts where user_id = ${userId} and type = ${type} for update
    ),
    made as (
      insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id, created_at)
      select ${userId}::bigint, w.seq, w.id, l.type, w.sender_id, w.data, w.cause_type, w.cause_id, w.created_at
      from locked l cross join jsonb_to_recordset(${sql.json(withheld as never)}) as w
        (seq bigint, id uuid, sender_id bigint, data jsonb, cause_type text, cause_id bigint, created_at timestamptz)
      on conflict do nothing returning seq
    )
    update notification_counts kept set total = kept.total + m.total, unread = kept.unread + m.unread,
      last_seq = greatest(kept.last_seq, m.last_seq)
    from (
      select count(*) as total, count(*) filter (where m.seq > l.read_seq) as unread, max(m.seq) as last_seq
      from made m cross join locked l
    ) as m
    where kept.user_id = ${userId} and kept.type = ${type} and m.total > 0`
}

/** Deletes the unread notifications that one user caused for another, such as after a block (relations-1). */
export async function deleteUnreadFrom(sql: Db, userId: number, senderId: number): Promise<void> {
  await sql`
    with locked as (
      select type, read_seq from notification_counts where user_id = ${userId} and unread > 0
      order by type for update
    ),
    gone as (
      delete from notifications n using locked l
      where n.user_id = ${userId} and n.type = l.type and n.seq > l.read_seq and n.sender_id = ${senderId}
      returning n.type
    )
    update notification_counts kept set
      unread = greatest(kept.unread - g.number, 0), total = greatest(kept.total - g.number, kept.unread - g.number, 0)
    from (select type, count(*) as number from gone group by type) as g
    where kept.user_id = ${userId} and kept.type = g.type`
}

export async function removeSender(
  sql: Db,
  taken: Required<Pick<Taken, 'senderId' | 'cause'>> & Taken,
): Promise<void> {
  const rows = await sql<{ user_id: number }[]>`
    select n.user_id from notifications n where ${isTaken(sql, taken)}`
  const users = [...new Set(rows.map(({ user_id }) => user_id))]
  if (users.length > 0)
    await sql`update notifications n set sender_id = 0 where n.user_id = any(${users}) and ${isTaken(sql, taken)}`
}

type Wanted = { sender: number; recipient: number; cause: { type: string; id: number } }

/** Removes unread notifications of disabled senders, and returns them for `restoreNotifications`. */
export async function withholdNotifications(
  tx: Db,
  type: NotificationType,
  wanted: readonly Wanted[],
): Promise<Withheld[]> {
  if (wanted.length === 0) return []
  const keyOf = (...parts: (string | number)[]) => parts.join(' ')
  const keys = new Set(
    wanted.map(({ sender, recipient, cause }) => keyOf(recipient, sender, cause.type, cause.id)),
  )
  const unread = await findUnreadFrom(tx, type, {
    users: [...new Set(wanted.map(({ recipient }) => recipient))],
    senders: [...new Set(wanted.map(({ sender }) => sender))],
  })
  const found = unread.filter((row) =>
    keys.has(keyOf(row.user_id, row.sender_id, row.cause_type, row.cause_id)),
  )
  const withheld: Withheld[] = []
  // Locks counters in the order of user ids to avoid deadlocks.
  for (const [user, rows] of Map.groupBy(found, ({ user_id }) => user_id)) {
    const column = <T>(of: (row: (typeof rows)[number]) => T) => rows.map(of)
    const matches = tx`
      (n.sender_id, n.cause_type, n.cause_id) in (
        select * from unnest(${column(({ sender_id }) => sender_id)}::bigint[], ${column(({ cause_type }) => cause_type)}::text[],
          ${column(({ cause_id }) => cause_id)}::bigint[])
      )`
    withheld.push(...(await deleteUnreadWhere(tx, user, matches, type)))
  }
  return withheld
}

/** Puts notifications back. They are read if their recipient has marked all as read meanwhile. */
export async function restoreNotifications(tx: Db, withheld: readonly Withheld[]): Promise<void> {
  const byUser = Map.groupBy(
    withheld.toSorted((a, b) => a.user_id - b.user_id),
    ({ user_id }) => user_id,
  )
  for (const [user, own] of byUser)
    for (const [type, rows] of Map.groupBy(own, (row) => row.type as NotificationType))
      await restoreUnread(tx, user, type, rows)
}
