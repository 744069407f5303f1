import { escapeLike } from '#lib/text.ts'
import { stateNow } from '#modules/pinning/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { AdminPin, PinQuery } from './schema.ts'

const columns = (sql: Db) => sql`
  p.id, p.target_id as news_id, p.user_id, json_build_object('id', u.id, 'name', u.name) as user, n.title,
  p.amount, p.day, ${stateNow(sql)} as state, p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const from = (sql: Db) => sql`
  from pins p join users u on u.id = p.user_id left join news n on n.id = p.target_id`

/** A page of the pins of articles. */
export function listNewsPins(sql: Db, query: PinQuery) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, state, user, news } = query
  const where = sql`
    where p.channel = 'news'
      ${state === undefined ? sql`` : sql`and ${stateNow(sql)} = ${state}`}
      ${user === undefined ? sql`` : sql`and p.user_id = ${user}`}
      ${news === undefined ? sql`` : sql`and p.target_id = ${news}`}
      ${q === undefined ? sql`` : sql`and (n.title ilike ${`%${escapeLike(q)}%`} or u.name ilike ${`%${escapeLike(q)}%`})`}`
  const by = { id: sql`p.id`, amount: sql`p.amount`, expires_at: sql`p.expires_at` }[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<AdminPin>(
    sql`select ${columns(sql)} ${from(sql)} ${where} order by ${by} ${direction}, p.id ${direction}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total ${from(sql)} ${where}`,
  )
}

export async function findNewsPin(sql: Db, id: number): Promise<AdminPin | undefined> {
  const [row] = await sql<AdminPin[]>`
    select ${columns(sql)} ${from(sql)} where p.id = ${id} and p.channel = 'news'`
  return row
}
