import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { ReportSearch } from './schema.ts'

export type ReportRow = Tables['reports']

/** A page of reports, and how many there are. */
export function listReportRows(sql: Db, search: ReportSearch) {
  const where = sql`
    where true
      ${ifGiven(sql, search.status, (status) => sql`and status = ${status}`)}
      ${ifGiven(sql, search.type, (type) => sql`and reportable_type = ${type}`)}
      ${ifGiven(sql, search.user_id, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, search.target_user, (id) => sql`and target_user = ${id}`)}
      ${ifGiven(sql, search.q, (part) => {
        const pattern = `%${escapeLike(part)}%`
        return sql`and (subject ilike ${pattern} or reason ilike ${pattern})`
      })}`
  return pageOf<ReportRow>(
    sql,
    sql`
      select * from reports ${where} ${listingAt(sql, search, { id: sql`id` })}`,
    sql`select count(*)::int as total from reports ${where}`,
  )
}

export const findReport = async (sql: Db, id: number) =>
  (await sql<ReportRow[]>`select * from reports where id = ${id}`)[0]

/** Closes an open report; undefined when it is not open. */
export async function closeReport(
  sql: Db,
  options: { id: number; status: 1 | 2; mark: string | null; handledBy: number },
): Promise<ReportRow | undefined> {
  const [row] = await sql<ReportRow[]>`
    update reports set status = ${options.status}, mark = ${options.mark}, handled_by = ${options.handledBy},
      handled_at = now(), updated_at = now()
    where id = ${options.id} and status = 0
    returning *`
  return row
}

/** More reports of one thing than this are left open: each is told to somebody. */
const CLOSED_AT_ONCE = 1000

/** Closes the open reports of something that was removed. */
export const closeReportsOf = (sql: Db, options: { type: string; id: number; handledBy: number }) => sql<
  ReportRow[]
>`
  update reports set status = 1, handled_by = ${options.handledBy}, handled_at = now(), updated_at = now()
  where id in (
    select id from reports
    where reportable_type = ${options.type} and reportable_id = ${options.id} and status = 0
    order by id limit ${CLOSED_AT_ONCE} for update
  )
  returning *`
