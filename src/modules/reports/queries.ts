import type { Db } from '#platform/database.ts'

export type NewReport = {
  type: string
  id: number
  userId: number
  targetUser: number
  /** What is reported, in words. */
  subject: string
  reason: string | null
}

/** Keeps a report; a second one by the same person of the same content adds nothing while the first is open. */
export async function addReport(sql: Db, report: NewReport): Promise<void> {
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason)
    values (${report.userId}, ${report.targetUser}, ${report.type}, ${report.id}, ${report.subject}, ${report.reason})
    on conflict (user_id, reportable_type, reportable_id) where status = 0 do nothing`
}
