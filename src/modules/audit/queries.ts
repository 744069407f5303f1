import { escapeLike } from '#lib/text.ts'
import { type Db, type Fragment, ifGiven, listingClause, type Tables } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import {
  Id,
  listingQuery,
  Nullable,
  OpenObject,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

const When = Text(32, {
  pattern: '^\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d)?Z?)?$',
})

export const AuditRecord = Shared('AuditRecord', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  action: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.String(),
  before: Nullable(OpenObject),
  after: Nullable(OpenObject),
  redacted: Type.Boolean({ description: 'True when an account erasure removed the content' }),
  request_id: Type.String(),
  created_at: Time,
})

export const AuditAnchor = Shared('AuditAnchor', {
  position: Type.Integer({ description: 'Number of linked records; 0 when the chain is empty' }),
  hash: Type.String({ description: 'SHA-256 in hexadecimal; empty when the chain is empty' }),
})

export const AuditQuery = Type.Object({
  ...listingQuery(['id']),
  user_id: Type.Optional(Id),
  action: Type.Optional(Text(100)),
  subject_type: Type.Optional(Text(100)),
  subject_id: Type.Optional(Text(100)),
  from: Type.Optional(When),
  to: Type.Optional(When),
})
export type AuditQuery = Static<typeof AuditQuery>

/** User and request that caused a change. The argument of a route handler has this shape. */
export type Actor = { viewer: { id: number }; request: { id: string } }

export type AuditEntry = {
  action: string
  subjectType: string
  subjectId: number | string
  /** State before the change. Like `after`, it must not contain passwords or other secrets. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

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

/** Returns a time in ISO 8601. Throws 422 for a date that does not exist, such as 31 February. */
function timeIn(query: AuditQuery, field: 'from' | 'to'): string | undefined {
  const value = query[field]
  if (value === undefined || value === '') return undefined
  const [day = '', clock = '00:00:00'] = value.replace('Z', '').split(/[T ]/)
  const date = new Date(`${day}T${clock}Z`)
  // JavaScript parses 31 February as 3 March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day))
    throw invalidField(field, { en: 'This time does not exist.', zh: '时间无效。' })
  return date.toISOString()
}

export function listAudit(sql: Db, query: AuditQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.user_id, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, query.action, (action) => sql`and action = ${action}`)}
      ${ifGiven(sql, query.subject_type, (type) => sql`and subject_type = ${type}`)}
      ${ifGiven(sql, query.subject_id, (id) => sql`and subject_id = ${id}`)}
      ${ifGiven(sql, timeIn(query, 'from'), (time) => sql`and created_at >= ${time}::timestamptz`)}
      ${ifGiven(sql, timeIn(query, 'to'), (time) => sql`and created_at < ${time}::timestamptz`)}
      ${ifGiven(sql, query.q, (part) => sql`and action like ${`%${escapeLike(part)}%`}`)}`
  return pageOf<AuditRow>(
    sql,
    sql`select * from audit_log ${where} ${listingClause(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from audit_log ${where}`,
  )
}

export const selectAuditOf = (sql: Db, type: string, id: number): Fragment => sql`
  select created_at as at, 'record-' || id as id, action as event, user_id as by,
    subject_type || '/' || subject_id as subject,
    jsonb_strip_nulls(jsonb_build_object('before', before, 'after', after)) as details
  from audit_log where subject_type = ${type} and subject_id = ${String(id)}`
