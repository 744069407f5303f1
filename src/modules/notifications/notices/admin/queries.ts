import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { NoticeRow } from '../schema.ts'
import type { NoticeQuery } from './schema.ts'

const columns = (sql: Db) =>
  sql`id, user_id, contents, user_ids, status, sent, total, created_at, finished_at`

/** A page of the notices that were not withdrawn. */
export function listNotices(sql: Db, { sort = 'id', order, q, status, ...page }: NoticeQuery) {
  const where = sql`
    where status <> 'withdrawn'
      ${ifGiven(sql, status, (value) => sql`and status = ${value}`)}
      ${ifGiven(sql, q, (part) => sql`and contents ilike ${`%${escapeLike(part)}%`}`)}`
  const by = sort === 'sent' ? sql`sent` : undefined
  return pageOf<NoticeRow>(
    sql,
    sql`select ${columns(sql)} from notices ${where}
      ${listingAt(sql, { order, ...page }, { id: sql`id`, by, from: sql`notices` })}`,
    sql`select count(*)::int as total from notices ${where}`,
  )
}

/** A notice that was not withdrawn. */
export async function findNotice(sql: Db, id: number): Promise<NoticeRow | undefined> {
  const [row] = await sql<NoticeRow[]>`
    select ${columns(sql)} from notices where id = ${id} and status <> 'withdrawn'`
  return row
}
