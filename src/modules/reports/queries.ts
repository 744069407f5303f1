import type { Db } from '#platform/database.ts'
import type { ReportSearch } from './schema.ts'

export type ReportRow = {
  id: number
  user_id: number
  target_user: number
  reportable_type: string
  reportable_id: number
  subject: string
  reason: string | null
  status: number
  mark: string | null
  handled_by: number | null
  handled_at: string | null
  created_at: string
  updated_at: string
}

export type NewReport = {
  type: string
  id: number
  userId: number
  targetUser: number
  /** What is reported, in words. */
  subject: string
  reason: string | null
}

/** Keeps a report; a second one by the same person of the same thing adds nothing while the first is open. */
export async function addReport(sql: Db, report: NewReport): Promise<void> {
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason)
    values (${report.userId}, ${report.targetUser}, ${report.type}, ${report.id}, ${report.subject}, ${report.reason})
    on conflict (user_id, reportable_type, reportable_id) where status = 0 do nothing`
}

const columns = (sql: Db) => sql`
  id, user_id, target_user, reportable_type, reportable_id, subject, reason, status, mark, handled_by, handled_at,
  created_at, updated_at`

/** A page of reports, and how many there are. */
export async function findReports(
  sql: Db,
  search: ReportSearch,
  pattern: string | undefined,
): Promise<{ rows: ReportRow[]; total: number }> {
  const { page = 1, limit = 15, order, status, type, user_id: userId, target_user: targetUser } = search
  const where = sql`
    where true ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${type === undefined ? sql`` : sql`and reportable_type = ${type}`}
      ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
      ${targetUser === undefined ? sql`` : sql`and target_user = ${targetUser}`}
      ${pattern === undefined ? sql`` : sql`and (subject ilike ${pattern} or reason ilike ${pattern})`}`
  const [rows, [count]] = await Promise.all([
    sql<ReportRow[]>`
      select ${columns(sql)} from reports ${where}
      order by id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
    sql<[{ total: number }]>`select count(*)::int as total from reports ${where}`,
  ])
  return { rows, total: count.total }
}

export const findReport = async (sql: Db, id: number) =>
  (await sql<ReportRow[]>`select ${columns(sql)} from reports where id = ${id}`)[0]

/** Closes an open report; undefined when it is not open. */
export async function closeReport(
  sql: Db,
  options: { id: number; status: 1 | 2; mark: string | null; handledBy: number },
): Promise<ReportRow | undefined> {
  const [row] = await sql<ReportRow[]>`
    update reports set status = ${options.status}, mark = ${options.mark}, handled_by = ${options.handledBy},
      handled_at = now(), updated_at = now()
    where id = ${options.id} and status = 0
    returning ${columns(sql)}`
  return row
}
