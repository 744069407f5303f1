import type { Db } from '#platform/database.ts'
import { managedGroups } from '../queries.ts'
import type { ReportsQuery } from './schema.ts'

export type ReportRow = {
  id: number
  group_id: number
  user_id: number
  target_id: number
  type: 'post' | 'comment'
  resource_id: number
  post_id: number
  subject: string
  content: string
  status: number
  cause: string | null
  handler: number | null
  created_at: string
  updated_at: string
}

const columns = (sql: Db) => sql`
  r.id, r.group_id, r.user_id, r.target_id, r.type, r.resource_id, r.post_id, r.subject, r.content, r.status, r.cause,
  r.handler, r.created_at, r.updated_at`

export type NewGroupReport = Pick<
  ReportRow,
  'group_id' | 'user_id' | 'target_id' | 'type' | 'resource_id' | 'post_id' | 'subject' | 'content'
>

/** Keeps a report; undefined while the same person's report of the same thing is open. */
export async function insertReport(sql: Db, report: NewGroupReport): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into group_reports ${sql(report, 'group_id', 'user_id', 'target_id', 'type', 'resource_id', 'post_id', 'subject', 'content')}
    on conflict (user_id, type, resource_id) where status = 0 do nothing
    returning id`
  return row?.id
}

/** Reports in the circles that a person manages, or in one of them, newest first. */
export function listReports(sql: Db, userId: number, query: ReportsQuery) {
  const { group_id: groupId, status, start, end, after = 0, limit = 15 } = query
  return sql<ReportRow[]>`
    select r.* from (${managedGroups(sql, userId, groupId === undefined ? undefined : [groupId])}) mine cross join lateral (
      select ${columns(sql)} from group_reports r
      where r.group_id = mine.id ${status === undefined ? sql`` : sql`and r.status = ${status}`}
        ${start === undefined ? sql`` : sql`and r.created_at >= to_timestamp(${start}::bigint)`}
        ${end === undefined ? sql`` : sql`and r.created_at <= to_timestamp(${end}::bigint)`}
        ${after > 0 ? sql`and r.id < ${after}` : sql``}
      order by r.id desc limit ${limit}
    ) r
    order by r.id desc limit ${limit}`
}

export const findReport = async (sql: Db, id: number) =>
  (await sql<ReportRow[]>`select ${columns(sql)} from group_reports r where r.id = ${id}`)[0]

/** Closes an open report; undefined when it is not open any more. */
export async function closeReport(
  sql: Db,
  { id, status, cause, handler }: { id: number; status: 1 | 2; cause: string | null; handler: number },
): Promise<ReportRow | undefined> {
  const [row] = await sql<ReportRow[]>`
    update group_reports r set status = ${status}, cause = ${cause}, handler = ${handler}, updated_at = now()
    where r.id = ${id} and r.status = 0
    returning ${columns(sql)}`
  return row
}
