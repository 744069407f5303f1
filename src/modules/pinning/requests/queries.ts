import { andAfterCursor, andAfterRow, type Db, ifGiven, limitClause, when } from '#platform/database'
import { type PinRow, pinColumns, stateNow } from '../queries.ts'
import type { PinState } from '../schema.ts'

export async function listPinsToDecide(
  sql: Db,
  { deciderId, channel, after, limit }: { deciderId: number; channel: string; after: number; limit: number },
): Promise<PinRow[]> {
  const of = sql`p.decider_id = ${deciderId} and p.channel = ${channel}`
  const [cursor] =
    after > 0
      ? await sql<{ state: string }[]>`select p.state from pins p where p.id = ${after} and ${of}`
      : []
  const waiting = after === 0 || cursor?.state === 'pending'
  const below = andAfterCursor(sql, sql`p.id`, after)
  return sql<PinRow[]>`
    (select ${pinColumns(sql)}, 0 as part from pins p where ${of} and p.state = 'pending' ${waiting ? below : sql`and false`}
      order by p.id desc limit ${limit})
    union all
    (select ${pinColumns(sql)}, 1 as part from pins p where ${of} and p.state <> 'pending' ${waiting ? sql`` : below}
      order by p.id desc limit ${limit})
    order by part, id desc limit ${limit}`
}

export const listOwnPins = (
  sql: Db,
  { userId, channel, after, limit }: { userId: number; channel: string; after: number; limit: number },
) => sql<PinRow[]>`
  select ${pinColumns(sql)} from pins p
  where p.user_id = ${userId} and p.channel = ${channel} ${when(sql, after > 0, () => sql`and p.id < ${after}`)}
  order by p.id desc limit ${limit}`

/** Counts pending pin requests created after `since` that await the user's decision. */
export async function countWaiting(sql: Db, channel: string, deciderId: number, since: string | null) {
  const [row] = await sql<[{ count: number; time: string | null }]>`
    select count(*)::int as count, max(created_at) as time from pins
    where decider_id = ${deciderId} and channel = ${channel} and state = 'pending'
      ${ifGiven(sql, since ?? undefined, (time) => sql`and created_at > ${time}`)}`
  return row
}

export const listPinsAddressedTo = (
  sql: Db,
  {
    deciderId,
    channel,
    contentId,
    after = 0,
    limit = 15,
  }: {
    deciderId: number
    channel: string
    contentId?: number | undefined
    after?: number | undefined
    limit?: number | undefined
  },
) => sql<PinRow[]>`
  select ${pinColumns(sql)} from pins p
  where p.decider_id = ${deciderId} and p.decider_id > 0 and p.channel = ${channel} and p.user_id <> p.decider_id
    ${ifGiven(sql, contentId, (id) => sql`and p.thing_id = ${id}`)} ${when(sql, after > 0, () => sql`and p.id < ${after}`)}
  order by p.id desc limit ${limit}`

export async function listTargetsOfUser(
  sql: Db,
  {
    userId,
    channel,
    state,
    limit = 15,
    offset,
    after = 0,
  }: {
    userId: number
    channel: string
    state: PinState
    limit?: number | undefined
    offset?: number | undefined
    after?: number | undefined
  },
): Promise<number[]> {
  const rows = await sql<{ target_id: number }[]>`
    select p.target_id from pins p
    where p.user_id = ${userId} and p.channel = ${channel} and ${stateNow(sql)} = ${state}
      ${andAfterRow(
        sql,
        after,
        sql`p.id`,
        sql`select max(p.id)
          from pins p where p.user_id = ${userId} and p.channel = ${channel} and p.target_id = ${after} and ${stateNow(sql)} = ${state}`,
      )}
    order by p.id desc ${limitClause(sql, { limit, offset, after })}`
  return rows.map((row) => row.target_id)
}

export async function findLastPin(sql: Db, channel: string, targetId: number): Promise<PinRow | undefined> {
  const [row] = await sql<PinRow[]>`
    select ${pinColumns(sql)} from pins p
    where p.channel = ${channel} and p.target_id = ${targetId}
    order by p.state in ('pending', 'active') desc, p.id desc limit 1`
  return row
}
