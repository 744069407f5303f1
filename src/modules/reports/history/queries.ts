import { appealsOf } from '#modules/accounts/index.ts'
import { auditOf } from '#modules/audit/index.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { andPastRow, partOf } from '#platform/sql.ts'
import type { HistoryEntry, HistoryQuery } from './schema.ts'

/** Reports against a person: when each was made, and when it was decided. */
const reportsAgainst = (sql: Db, userId: number): Fragment => {
  // The index of who was reported has only reports of somebody.
  const against = sql`reports r where r.target_user = ${userId} and r.target_user > 0`
  return sql`
    select r.created_at as at, 'report-' || r.id as id, 'report' as event, r.user_id as by, 'reports/' || r.id as subject,
      jsonb_build_object('type', r.reportable_type, 'id', r.reportable_id, 'subject', r.subject, 'reason', r.reason)
        as details
    from ${against}
    union all
    select r.handled_at, 'decision-' || r.id, case r.status when 1 then 'report.passed' else 'report.rejected' end, r.handled_by,
      'reports/' || r.id, jsonb_build_object('mark', r.mark)
    from ${against} and r.status <> 0`
}

/** A page of what happened about a person, newest first. */
export function listHistory(sql: Db, userId: number, { page = 1, limit = 15, after }: HistoryQuery) {
  const events = sql`
    (${reportsAgainst(sql, userId)} union all ${appealsOf(sql, userId)} union all ${auditOf(sql, 'users', userId)})`
  return pageOf<HistoryEntry>(
    sql,
    sql`select at, id, event, by, subject, details from ${events} e where true
      ${andPastRow(sql, after, sql`e.at, e.id`, sql`select l.at, l.id from ${events} l where l.id = ${after ?? ''}`)}
      order by e.at desc, e.id desc ${partOf(sql, { limit, offset: after === undefined ? (page - 1) * limit : 0 })}`,
    sql`select count(*)::int as total from ${events} e`,
  )
}
