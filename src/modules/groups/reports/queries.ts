import type { Db } from '#platform/database.ts'
import { ifGiven, when } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import { managedGroups } from '../standing/queries.ts'
import type { ReportsQuery } from './schema.ts'

export type GroupReportRow = Tables['group_reports'] & { type: 'post' | 'comment' }

const columns = (sql: Db) => sql`
  r.id, r.group_id, r.user_id, r.target_id, r.type, r.resource_id, r.post_id, r.subject, r.content, r.status, r.cause,
  r.handler, r.created_at, r.updated_at`

export type NewGroupReport = Pick<
  GroupReportRow,
  'group_id' | 'user_id' | 'target_id' | 'type' | 'resource_id' | 'post_id' | 'subject' | 'content'
>

/** Keeps a report; undefined while the same person's report of the same content is open. */
export async function insertReport(sql: Db, report: NewGroupReport): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into group_reports ${sql(report, 'group_id', 'user_id', 'target_id', 'type', 'resource_id', 'post_id', 'subject', 'content')}
    on conflict (user_id, type, resource_id) where status = 0 do nothing
    returning id`
  return row?.id
}

/** Reports in the groups that a person manages, or in one of them, newest first. */
export function listReports(sql: Db, userId: number, query: ReportsQuery) {
  const { group_id: groupId, status, start, end, after = 0, limit = 15 } = query
  return sql<GroupReportRow[]>`
    select r.* from (${managedGroups(sql, userId, groupId === undefined ? undefined : [groupId])}) mine cross join lateral (
      select ${columns(sql)} from group_reports r
      where r.group_id = mine.id ${ifGiven(sql, status, (value) => sql`and r.status = ${value}`)}
        ${ifGiven(sql, start, (seconds) => sql`and r.created_at >= to_timestamp(${seconds}::bigint)`)}
        ${ifGiven(sql, end, (seconds) => sql`and r.created_at <= to_timestamp(${seconds}::bigint)`)}
        ${when(sql, after > 0, () => sql`and r.id < ${after}`)}
      order by r.id desc limit ${limit}
    ) r
    order by r.id desc limit ${limit}`
}

export const findReport = async (sql: Db, id: number) =>
  (await sql<GroupReportRow[]>`select ${columns(sql)} from group_reports r where r.id = ${id}`)[0]

/** Closes an open report; undefined when it is not open any more. */
export async function closeReport(
  sql: Db,
  { id, status, cause, handler }: { id: number; status: 1 | 2; cause: string | null; handler: number },
): Promise<GroupReportRow | undefined> {
  const [row] = await sql<GroupReportRow[]>`
    update group_reports r set status = ${status}, cause = ${cause}, handler = ${handler}, updated_at = now()
    where r.id = ${id} and r.status = 0
    returning ${columns(sql)}`
  return row
}
