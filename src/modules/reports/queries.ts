import type { Db } from '#platform/database'
import { apiError } from '#platform/errors.ts'

export const handledAlready = apiError(
  422,
  'report_handled',
  'This report has been handled already.',
  '该举报已被处理。',
)
export const nothingToRemove = apiError(
  422,
  'nothing_to_remove',
  'What was reported is no content that could be removed.',
  '被举报的对象不是可删除的内容。',
)
export const nobodyToSanction = apiError(
  422,
  'nobody_to_sanction',
  'Nobody is known who published this.',
  '没有可处罚的发布者。',
)
export const onlyWhenDealtWith = apiError(
  422,
  'only_when_dealt_with',
  'A report that is rejected removes nothing and concerns nobody.',
  '驳回举报时不能删除内容或处罚用户。',
)

export type NewReport = {
  type: string
  id: number
  userId: number
  targetUser: number
  /** Text that describes the target. */
  subject: string
  reason: string | null
}

/** Inserts a report unless the same user has an open one on the same target. */
export async function addReport(sql: Db, report: NewReport): Promise<void> {
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason)
    values (${report.userId}, ${report.targetUser}, ${report.type}, ${report.id}, ${report.subject}, ${report.reason})
    on conflict (user_id, reportable_type, reportable_id) where status = 0 do nothing`
}

/** Whether somebody reported a thing. */
export const isReported = async (sql: Db, type: string, id: number): Promise<boolean> =>
  (await sql`select from reports where reportable_type = ${type} and reportable_id = ${id} limit 1`).length >
  0
