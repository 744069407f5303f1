import { notBlockedBy } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database'
import { type MessageRow, messageColumns } from './messages/queries.ts'
import { chatIdsOf } from './queries.ts'

/** Reads the oldest running transaction and the next one to start. */
export async function findHorizon(sql: Db): Promise<{ oldest: number; newest: number }> {
  const [row] = await sql<[{ oldest: number; newest: number }]>`
    select pg_snapshot_xmin(s)::text::bigint as oldest, pg_snapshot_xmax(s)::text::bigint as newest
    from pg_current_snapshot() as s`
  return row
}

/**
 * Reads new messages of conversations in order: those after a position, or where none is known, those of
 * transactions since `since`.
 */
export const findNews = (
  sql: Db,
  places: { id: number; position: number | undefined }[],
  since: number,
) => sql<MessageRow[]>`
  select ${messageColumns(sql)}
  from unnest(${places.map(({ id }) => id)}::bigint[], ${places.map(({ position }) => position ?? null)}::bigint[])
    as t (chat_id, position)
  cross join lateral (
    select * from chat_messages o where o.chat_id = t.chat_id
      and o.position > coalesce(t.position, 0) and (t.position is not null or o.tx_id >= ${since})
  ) as m
  order by m.chat_id, m.position`

/** Finds conversations with messages of transactions since `since`, and messages changed since. */
export async function findSince(
  sql: Db,
  since: number,
): Promise<{ chats: { chat_id: number; position: number }[]; messages: number[] }> {
  const rows = await sql<{ chat_id: number; position: number; changed: number[] }[]>`
    select chat_id, max(position) as position,
      coalesce(array_agg(id) filter (where edited_at is not null or deleted_at is not null), '{}') as changed
    from chat_messages where tx_id >= ${since} group by chat_id`
  return { chats: rows, messages: rows.flatMap(({ changed }) => changed) }
}

/** Lists messages of a user's conversations written by transactions since a cursor, in order. */
export const listMissed = (sql: Db, userId: number, cursor: number, limit: number) => sql<MessageRow[]>`
  select ${messageColumns(sql)} from (${chatIdsOf(sql, userId)}) j
  join chat_messages m on m.chat_id = j.chat_id
  left join chat_members o on o.chat_id = j.chat_id and o.user_id = ${userId}
  where m.tx_id >= ${cursor} and m.position > coalesce(o.hidden_position, 0)
    and (j.joined_at is null or m.created_at >= j.joined_at)
    ${notBlockedBy(sql, userId, sql`coalesce(m.sender_id, 0)`)}
  order by m.chat_id, m.position limit ${limit}`
