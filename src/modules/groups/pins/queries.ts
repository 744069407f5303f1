import { type PinRow, type PinState, pinColumns, stateNow } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'

/** Requests of others that a person decides on, newest first; those of one group or post if given. */
export const listAddressedPins = (
  sql: Db,
  {
    userId,
    channel,
    contentId,
    after = 0,
    limit = 15,
  }: {
    userId: number
    channel: string
    contentId?: number | undefined
    after?: number | undefined
    limit?: number | undefined
  },
) => sql<PinRow[]>`
  select ${pinColumns(sql)} from pins p
  where p.decider_id = ${userId} and p.decider_id > 0 and p.channel = ${channel} and p.user_id <> p.decider_id
    ${contentId === undefined ? sql`` : sql`and p.thing_id = ${contentId}`} ${after > 0 ? sql`and p.id < ${after}` : sql``}
  order by p.id desc limit ${limit}`

/** The last request to pin something. */
export async function findLastPin(
  sql: Db,
  channel: string,
  targetId: number,
): Promise<{ id: number; state: PinState } | undefined> {
  const [row] = await sql<{ id: number; state: PinState }[]>`
    select p.id, ${stateNow(sql)} as state from pins p
    where p.channel = ${channel} and p.target_id = ${targetId}
    order by p.state in ('pending', 'active') desc, p.id desc limit 1`
  return row
}

/** Posts for whose pins a person asked, by what became of the request, newest first. */
export async function listPinnedIds(
  sql: Db,
  {
    userId,
    state,
    limit = 15,
    offset = 0,
  }: {
    userId: number
    state: 'active' | 'pending'
    limit?: number | undefined
    offset?: number | undefined
  },
): Promise<number[]> {
  const rows = await sql<{ target_id: number }[]>`
    select p.target_id from pins p
    where p.user_id = ${userId} and p.channel = 'group-post' and ${stateNow(sql)} = ${state}
    order by p.id desc limit ${limit} offset ${offset}`
  return rows.map((row) => row.target_id)
}
