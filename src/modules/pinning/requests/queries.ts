import type { Db } from '#platform/database.ts'
import { andPast, andPastRow, ifGiven, partOf, when } from '#platform/sql.ts'
import { type PinRow, pinColumns, stateNow } from '../queries.ts'
import type { PinState } from '../schema.ts'

/** Pins that a person decides on: those that wait first, then the others, newest first. */
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
  const below = andPast(sql, sql`p.id`, after)
  return sql<PinRow[]>`
    (select ${pinColumns(sql)}, 0 as part from pins p where ${of} and p.state = 'pending' ${waiting ? below : sql`and false`}
      order by p.id desc limit ${limit})
    union all
    (select ${pinColumns(sql)}, 1 as part from pins p where ${of} and p.state <> 'pending' ${waiting ? sql`` : below}
      order by p.id desc limit ${limit})
    order by part, id desc limit ${limit}`
}

/** What one person asked to have pinned, newest first. */
export const listOwnPins = (
  sql: Db,
  { userId, channel, after, limit }: { userId: number; channel: string; after: number; limit: number },
) => sql<PinRow[]>`
  select ${pinColumns(sql)} from pins p
  where p.user_id = ${userId} and p.channel = ${channel} ${when(sql, after > 0, () => sql`and p.id < ${after}`)}
  order by p.id desc limit ${limit}`

/** How many requests wait for a person, and since when the newest does; those up to `since` were seen. */
export async function countWaiting(sql: Db, channel: string, deciderId: number, since: string | null) {
  const [row] = await sql<[{ count: number; time: string | null }]>`
    select count(*)::int as count, max(created_at) as time from pins
    where decider_id = ${deciderId} and channel = ${channel} and state = 'pending'
      ${ifGiven(sql, since ?? undefined, (time) => sql`and created_at > ${time}`)}`
  return row
}

/** Requests of others that a person decides on, newest first; those under one piece of content if given. */
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

/** What a person asked to have pinned, by what became of the request, newest first. */
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
      ${andPastRow(
        sql,
        after,
        sql`p.id`,
        sql`select max(p.id)
          from pins p where p.user_id = ${userId} and p.channel = ${channel} and p.target_id = ${after} and ${stateNow(sql)} = ${state}`,
      )}
    order by p.id desc ${partOf(sql, { limit, offset, after })}`
  return rows.map((row) => row.target_id)
}

/** The last request to pin something: the open one, or the newest. */
export async function findLastPin(sql: Db, channel: string, targetId: number): Promise<PinRow | undefined> {
  const [row] = await sql<PinRow[]>`
    select ${pinColumns(sql)} from pins p
    where p.channel = ${channel} and p.target_id = ${targetId}
    order by p.state in ('pending', 'active') desc, p.id desc limit 1`
  return row
}
