import type { FastifyRequest } from 'fastify'
import { escapeLike } from '#lib/text.ts'
import { type AuditEntry, recordAudit as recordChange } from '#modules/audit/index.ts'
import type { Db } from '#platform/database.ts'
import { viewerOf } from '#platform/http.ts'
import { pageOf } from '#platform/listing.ts'

/** Keeps an administrative change of a request. */
export const recordAudit = (tx: Db, request: FastifyRequest, entry: AuditEntry): Promise<void> =>
  recordChange(tx, { viewer: viewerOf(request), request }, entry)

type AuditRow = {
  id: number
  user_id: number
  action: string
  subject_type: string
  subject_id: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  request_id: string
  created_at: string
  total: number
}

export type AuditFilter = {
  page?: number
  limit?: number
  order?: 'asc' | 'desc'
  q?: string
  user_id?: number
  action?: string
  subject_type?: string
  subject_id?: string
}

/** A page of the log, newest first unless asked otherwise. */
export function listAudit(sql: Db, filter: AuditFilter): Promise<{ data: AuditRow[]; total: number }> {
  const where = sql`
    where true
      ${filter.user_id === undefined ? sql`` : sql`and user_id = ${filter.user_id}`}
      ${filter.action === undefined ? sql`` : sql`and action = ${filter.action}`}
      ${filter.subject_type === undefined ? sql`` : sql`and subject_type = ${filter.subject_type}`}
      ${filter.subject_id === undefined ? sql`` : sql`and subject_id = ${filter.subject_id}`}
      ${filter.q === undefined ? sql`` : sql`and action like ${`%${escapeLike(filter.q)}%`}`}`
  const { page = 1, limit = 15 } = filter
  return pageOf<AuditRow>(
    sql`select * from audit_log ${where} order by id ${filter.order === 'asc' ? sql`asc` : sql`desc`}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from audit_log ${where}`,
  )
}
