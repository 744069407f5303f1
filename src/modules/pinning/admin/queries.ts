import { escapeLike } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, orderAt } from '#platform/sql.ts'
import { stateNow } from '../queries.ts'
import type { AdminPin, AdminPinQuery } from './schema.ts'

/** How to show what the pins of a channel point to. */
export type PinnedContent = {
  channel: string
  /** What of the content is shown with its pin; `t` is the content, which may be gone, and `p` the pin. */
  columns(sql: Db): Fragment
  /** Such as `feeds t`. */
  table(sql: Db): Fragment
  /** The text of the content that `q` is looked for in. */
  text(sql: Db): Fragment
}

const columns = (sql: Db, content: PinnedContent) => sql`
  p.id, p.user_id, json_build_object('id', u.id, 'name', u.name) as user, ${content.columns(sql)}, p.amount, p.day,
  ${stateNow(sql)} as state, p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const from = (sql: Db, content: PinnedContent) => sql`
  from pins p join users u on u.id = p.user_id left join ${content.table(sql)} on t.id = p.target_id`

/**
 * A page of the pins of one channel; `targetId` narrows it to those of one piece of content. People and content are looked
 * up for the pins on the page only, and of all where a part of their text is looked for.
 */
export function listPins(
  sql: Db,
  content: PinnedContent,
  query: AdminPinQuery,
  targetId: number | undefined,
) {
  const { sort = 'id', q, state, user } = query
  const contains = (part: string) => {
    const like = `%${escapeLike(part)}%`
    return sql`and (p.user_id in (select id from users where name ilike ${like}) or ${content.text(sql)} ilike ${like})`
  }
  const where = sql`
    where p.channel = ${content.channel}
      ${ifGiven(sql, state, (value) => sql`and ${stateNow(sql)} = ${value}`)}
      ${ifGiven(sql, user, (value) => sql`and p.user_id = ${value}`)}
      ${ifGiven(sql, targetId, (value) => sql`and p.target_id = ${value}`)}
      ${ifGiven(sql, q, contains)}`
  // What does not run out yet is beyond what does, as the order of nulls has it.
  const expiry = sql`coalesce(p.expires_at, 'infinity')`
  const by = { id: undefined, amount: sql`p.amount`, expires_at: expiry }[sort]
  const list = { id: sql`p.id`, by, from: sql`pins p` }
  const searched =
    q === undefined ? list.from : sql`pins p left join ${content.table(sql)} on t.id = p.target_id`
  return pageOf<AdminPin>(
    sql,
    sql`select ${columns(sql, content)} ${from(sql, content)}
      where p.id = any(array(select p.id from ${searched} ${where} ${listingAt(sql, query, list)})) ${orderAt(sql, query, list)}`,
    sql`select count(*)::int as total from ${searched} ${where}`,
  )
}

/** One pin of a channel, undefined when there is none. */
export async function findAdminPin(
  sql: Db,
  content: PinnedContent,
  id: number,
): Promise<AdminPin | undefined> {
  const [row] = await sql<AdminPin[]>`
    select ${columns(sql, content)} ${from(sql, content)} where p.id = ${id} and p.channel = ${content.channel}`
  return row
}
