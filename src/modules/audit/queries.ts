import { escapeLike } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { AuditQuery } from './schema.ts'

/** Who changes something, and in which request: the call of a route is one. */
export type Actor = { viewer: { id: number }; request: { id: string } }

export type AuditEntry = {
  /** Such as `topics.review`. */
  action: string
  subjectType: string
  subjectId: number | string
  /** What changed, as it was and as it is. Passwords and other secrets are never put here. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

/** Keeps an administrative change, in the transaction that makes it (administration-4). */
export async function recordAudit(tx: Db, { viewer, request }: Actor, entry: AuditEntry): Promise<void> {
  await tx`
    insert into audit_log (user_id, action, subject_type, subject_id, before, after, request_id)
    values (${viewer.id}, ${entry.action}, ${entry.subjectType}, ${String(entry.subjectId)},
      ${entry.before ? tx.json(entry.before as never) : null}, ${entry.after ? tx.json(entry.after as never) : null},
      ${request.id})`
}

type AuditRow = Tables['audit_log'] & {
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A page of the log, newest first unless asked otherwise. */
export function listAudit(sql: Db, query: AuditQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.user_id, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, query.action, (action) => sql`and action = ${action}`)}
      ${ifGiven(sql, query.subject_type, (type) => sql`and subject_type = ${type}`)}
      ${ifGiven(sql, query.subject_id, (id) => sql`and subject_id = ${id}`)}
      ${ifGiven(sql, query.q, (part) => sql`and action like ${`%${escapeLike(part)}%`}`)}`
  return pageOf<AuditRow>(
    sql,
    sql`select * from audit_log ${where} ${listingAt(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from audit_log ${where}`,
  )
}

/** What administrators changed of one thing, as part of its history. */
export const auditOf = (sql: Db, type: string, id: number): Fragment => sql`
  select created_at as at, 'record-' || id as id, action as event, user_id as by,
    subject_type || '/' || subject_id as subject,
    jsonb_strip_nulls(jsonb_build_object('before', before, 'after', after)) as details
  from audit_log where subject_type = ${type} and subject_id = ${String(id)}`
