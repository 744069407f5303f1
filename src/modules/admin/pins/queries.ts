import { escapeLike } from '#lib/text.ts'
import { stateNow } from '#modules/pinning/index.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { AdminPin, PinQuery } from './schema.ts'

/** How to show what the pins of a channel point to. */
export type PinnedContent = {
  channel: string
  /** What of the thing is shown with its pin; `t` is the thing, which may be gone, and `p` the pin. */
  columns(sql: Db): Fragment
  /** Such as `feeds t`. */
  table(sql: Db): Fragment
  /** The text of a thing that `q` is looked for in. */
  text(sql: Db): Fragment
}

const columns = (sql: Db, things: PinnedContent) => sql`
  p.id, p.user_id, json_build_object('id', u.id, 'name', u.name) as user, ${things.columns(sql)}, p.amount, p.day,
  ${stateNow(sql)} as state, p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const from = (sql: Db, things: PinnedContent) => sql`
  from pins p join users u on u.id = p.user_id left join ${things.table(sql)} on t.id = p.target_id`

/** A page of the pins of one channel; `thing` narrows it to those of one thing. */
export function listPins(sql: Db, things: PinnedContent, query: PinQuery, content: number | undefined) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, state, user } = query
  const like = q === undefined ? '' : `%${escapeLike(q)}%`
  const where = sql`
    where p.channel = ${things.channel}
      ${state === undefined ? sql`` : sql`and ${stateNow(sql)} = ${state}`}
      ${user === undefined ? sql`` : sql`and p.user_id = ${user}`}
      ${content === undefined ? sql`` : sql`and p.target_id = ${content}`}
      ${q === undefined ? sql`` : sql`and (${things.text(sql)} ilike ${like} or u.name ilike ${like})`}`
  const by = { id: sql`p.id`, amount: sql`p.amount`, expires_at: sql`p.expires_at` }[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<AdminPin>(
    sql`select ${columns(sql, things)} ${from(sql, things)} ${where} order by ${by} ${direction}, p.id ${direction}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total ${from(sql, things)} ${where}`,
  )
}

/** One pin of a channel, undefined when there is none. */
export async function findPinOf(sql: Db, things: PinnedContent, id: number): Promise<AdminPin | undefined> {
  const [row] = await sql<AdminPin[]>`
    select ${columns(sql, things)} ${from(sql, things)} where p.id = ${id} and p.channel = ${things.channel}`
  return row
}
