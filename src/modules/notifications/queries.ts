import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import {
  andAfterCursor,
  type Db,
  type Fragment,
  ifGiven,
  limitClause,
  type Sql,
  sendSignal,
  sendWithCommit,
  sortDirection,
  when,
} from '#platform/database'
import { addJob } from '#platform/jobs'
import type { Notice, NotificationType } from './schema.ts'
import { findSenderNames } from './sender-names.ts'

export const SIGNAL = 'notifications'

const PEOPLE_OF_A_SIGNAL = 400

/**
 * Parallel arrays with one entry per recipient and notice. `positions` are indexes in the list of notices.
 */
type Recipients = { users: number[]; ids: string[]; positions: number[] }

/** Notice of which `data` needs only the text, because the words that a recipient mutes are sought in it. */
export type PlannedNotice = Pick<Notice, 'type' | 'recipients' | 'senderId' | 'hiddenSenderId' | 'cause'> & {
  data: Record<string, unknown>
}

type FoundRecipients = Recipients & { pushed: Set<string>; announces: boolean }

/**
 * Skips disabled recipients, recipients with a block between them and the sender, who mute the sender, or who mute a word
 * of the text. Reads none of the tables that `insertNotices` writes, because they may be distributed.
 */
export async function findRecipients(
  sql: Db,
  notices: PlannedNotice[],
  { users, ids, positions }: Recipients,
): Promise<FoundRecipients> {
  const doers = positions.map((position) => {
    const { hiddenSenderId, senderId } = notices[position]!
    return hiddenSenderId ?? senderId
  })
  // Mutes do not silence system notifications, such as those of payments (relations-5), except requests to follow.
  const silenced = positions.map((position, n) => {
    const { type, data } = notices[position] as Notice
    return type === 'system' && data.type !== 'follow:request' ? 0 : (doers[n] as number)
  })
  const texts = positions.map((position) => {
    const { type, data } = notices[position]!
    return type !== 'system' && 'contents' in data ? nameKey(String(data.contents ?? '')) : ''
  })
  const [row] = await sql<[{ kept: number[]; pushed: number[]; announces: boolean }]>`
    select coalesce(array_agg(t.n), '{}') as kept,
      coalesce(array_agg(t.n) filter (where exists (select from push_devices d where d.user_id = t.user_id)), '{}') as pushed,
      exists (
        select from webhook_endpoints where enabled and (types is null or 'notification.created' = any(types))
      ) as announces
    from unnest(${users}::bigint[], ${doers}::bigint[], ${silenced}::bigint[], ${texts}::text[]) with ordinality
      as t (user_id, doer_id, silenced_id, text, n)
    join users u on u.id = t.user_id and u.deleted_at is null
    where not exists (select from user_blocks b where b.user_id = t.user_id and b.target_id = t.doer_id)
      and not exists (select from user_blocks b where b.user_id = t.doer_id and b.target_id = t.user_id)
      and not exists (
        select from user_mutes m where m.user_id = t.user_id and m.target_id = t.silenced_id
          and (m.ends_at is null or m.ends_at > now())
      )
      and not exists (
        select from muted_words w where w.user_id = t.user_id and strpos(t.text, w.word_key) > 0
          and (w.ends_at is null or w.ends_at > now())
      )`
  const at = row.kept.map((n) => n - 1).sort((a, b) => a - b)
  return {
    users: at.map((n) => users[n] as number),
    ids: at.map((n) => ids[n] as string),
    positions: at.map((n) => positions[n] as number),
    pushed: new Set(row.pushed.map((n) => ids[n - 1] as string)),
    announces: row.announces,
  }
}

/**
 * Skips recipients with an unread notification of the same type, sender and cause, except for system notifications.
 */
export async function insertNotices(
  sql: Db,
  notices: (Notice | null)[],
  found: FoundRecipients,
): Promise<void> {
  if (found.users.length === 0) return
  const inserting = insertNotifications(sql, notices, found)
  if (!found.announces && found.pushed.size === 0)
    return sendWithCommit(sql, inserting, (pool: Sql, inserted) =>
      wakeStreams(pool, inserted?.map(({ user_id }) => user_id) ?? found.users),
    )
  const inserted = await inserting
  wakeStreams(
    sql,
    inserted.map(({ user_id }) => user_id),
  )
  await enqueueDeliveries(sql, notices, found, inserted)
}

type Inserted = { user_id: number; seq: number; id: string }

/** Locks rows in the order of user ids to avoid deadlocks. */
function insertNotifications(
  sql: Db,
  notices: (Notice | null)[],
  { users, ids, positions }: FoundRecipients,
) {
  const described = [...new Set(positions)].map((position) => {
    const { type, senderId, cause, data } = notices[position] as Notice
    return { position, type, sender_id: senderId, data, cause_type: cause.type, cause_id: cause.id }
  })
  const repeatable = described.filter(({ type }) => type !== 'system')
  return sql<Inserted[]>`
    with unread as (
      select o.user_id, o.type, o.sender_id, o.cause_type, o.cause_id
      from notifications o join notification_counts c on c.user_id = o.user_id and c.type = o.type
      where o.user_id = any(${users}::bigint[]) and o.cause_type = any(${repeatable.map(({ cause_type }) => cause_type)}::text[])
        and o.cause_id = any(${repeatable.map(({ cause_id }) => cause_id)}::bigint[])
        and o.sender_id = any(${repeatable.map(({ sender_id }) => sender_id)}::bigint[])
        and o.type <> 'system' and o.seq > c.read_seq
    ),
    given as (
      select t.user_id, t.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, position
      from unnest(${users}::bigint[], ${ids}::uuid[], ${positions}::int[]) as t (user_id, id, position)
      join jsonb_to_recordset(${sql.json(described as never)}) as n
        (position int, type text, sender_id bigint, data jsonb, cause_type text, cause_id bigint) using (position)
      where (t.user_id, n.type, n.sender_id, n.cause_type, n.cause_id) not in (
        select user_id, type, sender_id, cause_type, cause_id from unread
      )
    ),
    moved as (
      insert into notification_cursors (user_id, last_seq)
      select user_id, count(*) from given group by user_id order by user_id
      on conflict (user_id) do update set last_seq = notification_cursors.last_seq + excluded.last_seq
      returning user_id, last_seq
    ),
    made as (
      insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id)
      -- Uses a JSON map instead of a join, because the planner would join by a nested loop.
      select user_id, ((select jsonb_object_agg(user_id, last_seq) from moved) ->> user_id::text)::bigint
          + 1 - row_number() over (partition by user_id order by position desc),
        id, type, sender_id, data, cause_type, cause_id
      from given
      returning user_id, id, type, seq
    ),
    counted as (
      insert into notification_counts as kept (user_id, type, unread, total, last_seq)
      select user_id, type, count(*), count(*), max(seq) from made group by user_id, type order by user_id, type
      on conflict (user_id, type) do update set
        unread = kept.unread + excluded.unread, total = kept.total + excluded.total, last_seq = excluded.last_seq
    )
    select user_id, seq, id from made`
}

function wakeStreams(sql: Db, recipients: readonly number[]): void {
  const users = [...new Set(recipients)]
  for (let n = 0; n < users.length; n += PEOPLE_OF_A_SIGNAL)
    sendSignal(sql, SIGNAL, users.slice(n, n + PEOPLE_OF_A_SIGNAL).join(','))
}

/** Enqueues the announcement to webhooks and the pushes to devices. */
async function enqueueDeliveries(
  sql: Db,
  notices: (Notice | null)[],
  { ids, positions, pushed, announces }: FoundRecipients,
  inserted: readonly Inserted[],
): Promise<void> {
  const hidden = new Set(ids.filter((_, n) => notices[positions[n] as number]?.hidesRecipients))
  const placesOf = (chosen: readonly Inserted[]) => ({
    places: chosen.map(({ user_id, seq }) => [user_id, seq]),
  })
  const announced = announces ? inserted.filter(({ id }) => !hidden.has(id)) : []
  if (announced.length > 0) await addJob(sql, 'announce_notifications', placesOf(announced))
  const notified = inserted.filter(({ id }) => pushed.has(id))
  if (notified.length > 0) await addJob(sql, 'push_notifications', placesOf(notified))
}

export type NotificationRow = {
  seq: number
  id: string
  type: NotificationType
  sender_id: number
  sender_name: string
  data: Record<string, unknown>
  notice: string | null
  cause_type: string
  cause_id: number
  created_at: string
  read_at: string | null
}

export type StoredRow = Omit<NotificationRow, 'sender_name' | 'notice'>

type BriefRow = Omit<StoredRow, 'id' | 'data' | 'read_at'>

const stored = (sql: Db) =>
  sql`n.seq, n.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, n.created_at`

const readAt = (sql: Db, userId: number) => sql`(
  select r.read_at from notification_reads r
  where r.user_id = ${userId} and r.type = n.type and r.seq >= n.seq order by r.seq limit 1
)`

const ownColumns = (sql: Db, userId: number) => sql`${stored(sql)}, ${readAt(sql, userId)} as read_at`

/**
 * Reads notifications of several users. `matches` is the condition that joins them with `t (user_id, seq)`.
 */
export const selectOfMany = (sql: Db, users: number[], seqs: number[], matches: Fragment) => sql<
  (StoredRow & { user_id: number })[]
>`
  select distinct on (n.user_id, n.seq) n.user_id, ${stored(sql)}, r.read_at
  from unnest(${users}::bigint[], ${seqs}::bigint[]) as t (user_id, seq)
  join notifications n on n.user_id = t.user_id and ${matches}
  left join notification_reads r on r.user_id = n.user_id and r.type = n.type and r.seq >= n.seq
  where n.user_id = any(${users}::bigint[])
  order by n.user_id, n.seq, r.seq`

export async function completeRows<Row extends BriefRow>(
  ctx: Context,
  rows: Row[],
): Promise<(Row & Pick<NotificationRow, 'sender_name' | 'notice'>)[]> {
  const notices = rows.filter(({ cause_type }) => cause_type === 'notices').map(({ cause_id }) => cause_id)
  const [names, contents] = await Promise.all([
    findSenderNames(
      ctx,
      rows.map(({ sender_id }) => sender_id).filter((id) => id > 0),
    ),
    notices.length === 0
      ? []
      : ctx.sql<{ id: number; contents: string }[]>`
          select id, contents from notices where id = any(${notices}::bigint[])`,
  ])
  const texts = new Map(contents.map(({ id, contents }) => [id, contents]))
  return rows.map((row) => ({
    ...row,
    sender_name: names.get(row.sender_id) ?? '',
    notice: row.cause_type === 'notices' ? (texts.get(row.cause_id) ?? null) : null,
  }))
}

export const findNotifications = async (ctx: Context, places: [number, number][]) =>
  completeRows(
    ctx,
    await selectOfMany(
      ctx.sql,
      places.map(([user]) => user),
      places.map(([, seq]) => seq),
      ctx.sql`n.seq = t.seq`,
    ),
  )

export async function findNotification(
  ctx: Context,
  userId: number,
  id: string,
): Promise<NotificationRow | undefined> {
  const { sql } = ctx
  const rows = await sql<StoredRow[]>`
    select ${ownColumns(sql, userId)} from notifications n where n.user_id = ${userId} and n.id = ${id}`
  return (await completeRows(ctx, rows))[0]
}

export type TypeStatistics = {
  kind: NotificationType
  unread: number
  newest: Pick<NotificationRow, 'sender_id' | 'sender_name' | 'created_at'>[]
  /** The newest notification of type `system`, and null for other types. */
  first: NotificationRow | null
}

/**
 * Finds the newest five notifications of each type. Reads `id`, `data` and `read_at` of the newest system notification
 * only, because replies show the others without these fields.
 */
export async function findStatistics(ctx: Context, userId: number): Promise<TypeStatistics[]> {
  const { sql } = ctx
  const whole = (column: Fragment) => sql`case when c.type = 'system' then ${column} end`
  const rows = await sql<({ kind: NotificationType; unread: number } & Absent<BriefRow>)[]>`
    select c.type as kind, c.unread, newest.*
    from notification_counts c left join lateral (
      select n.seq, n.type, n.sender_id, n.cause_type, n.cause_id, n.created_at, ${whole(sql`n.id`)} as id,
        ${whole(sql`n.data`)} as data, ${whole(readAt(sql, userId))} as read_at
      from notifications n where n.user_id = ${userId} and n.type = c.type
      order by n.seq desc limit case when c.type = 'system' then 1 else 5 end
    ) as newest on c.type <> 'follow'
    where c.user_id = ${userId}
    order by c.type, newest.seq desc`
  const complete = await completeRows(ctx, rows.filter(isPresent))
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const newest = complete.filter((row) => row.kind === kind)
    return {
      kind,
      unread: rows.find((row) => row.kind === kind)?.unread ?? 0,
      newest,
      first: kind === 'system' ? ((newest[0] as NotificationRow | undefined) ?? null) : null,
    }
  })
}

export async function findPage(
  ctx: Context,
  userId: number,
  type: NotificationType | undefined,
  { limit, offset, after }: { limit: number; offset: number; after: number },
): Promise<{ total: number; rows: NotificationRow[] }> {
  const { sql } = ctx
  const ofType = ifGiven(sql, type, (kind) => sql`and type = ${kind}`)
  const chosen = sql`
    from notifications n where n.user_id = ${userId} ${ofType} ${andAfterCursor(sql, sql`n.seq`, after)}
    order by n.user_id desc, ${when(sql, type !== undefined, () => sql`n.type desc,`)} n.seq desc
    ${limitClause(sql, { limit, offset, after })}`
  const page =
    offset === 0
      ? sql`select ${ownColumns(sql, userId)} ${chosen}`
      : // Applies the offset in an index-only scan, before the join reads whole notifications.
        sql`
          select ${ownColumns(sql, userId)} from (select n.seq ${chosen}) as found
          join notifications n on n.user_id = ${userId} and n.seq = found.seq`
  const rows = await sql<({ total: number } & Absent<StoredRow>)[]>`
    select c.total, page.*
    from (
      select coalesce(sum(total), 0)::bigint as total from notification_counts where user_id = ${userId} ${ofType}
    ) as c
    left join lateral (${page}) as page on true
    order by page.seq desc`
  return { total: rows[0]?.total ?? 0, rows: await completeRows(ctx, rows.filter(isPresent)) }
}

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
    where user_id = ${userId} and type = 'at' ${andAfterCursor(sql, sql`seq`, index, direction)}
    order by seq ${sortDirection(sql, direction)} limit ${limit}`
}

export async function markRead(sql: Db, userId: number, types: readonly NotificationType[]): Promise<void> {
  await sql`
    with locked as (
      select type from notification_counts
      where user_id = ${userId} and type = any(${types as NotificationType[]}) order by type for update
    ),
    changed as (
      update notification_counts c set unread = 0, read_seq = c.last_seq
      from locked l where c.user_id = ${userId} and c.type = l.type and c.unread > 0
      returning c.user_id, c.type, c.last_seq
    )
    insert into notification_reads (user_id, type, seq) select user_id, type, last_seq from changed`
}

export async function eraseNotificationsOf(tx: Db, userId: number): Promise<void> {
  for (const table of [
    'notifications',
    'notification_counts',
    'notification_reads',
    'notification_cursors',
    'pin_counters',
  ])
    await tx`delete from ${tx(table)} where user_id = ${userId}`
}

type Absent<Row> = Row | { [Key in keyof Row]: null }

const isPresent = <Row extends { seq: number | null }>(row: Row): row is Extract<Row, { seq: number }> =>
  row.seq !== null
