import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { apiError, notFound } from '#platform/errors.ts'
import { closeReport, findReport, listReportRows, type ReportRow } from './queries.ts'
import type { Report, ReportDecision, ReportSearch } from './schema.ts'
import { reportViews } from './view.ts'

export const handledAlready = apiError(
  422,
  'report_handled',
  'This report has been handled already.',
  '该举报已被处理。',
)

/** A page of reports for those who handle them. */
export async function listReports(
  ctx: Context,
  search: ReportSearch,
  viewerId: number,
): Promise<{ data: Report[]; total: number }> {
  const { data, total } = await listReportRows(ctx.sql, search)
  return { data: await reportViews(ctx, data, viewerId), total }
}

/** One report for those who handle it. */
export async function getReport(ctx: Context, id: number, viewerId: number): Promise<Report> {
  const row = await findReport(ctx.sql, id)
  if (!row) throw notFound()
  const [view] = await reportViews(ctx, [row], viewerId)
  return view!
}

/** Deals with or rejects a report, exactly once, and tells who reported. What is reported is not touched (feeds-25). */
export async function handleReport(
  tx: Tx,
  id: number,
  { action, mark }: ReportDecision,
  handlerId: number,
): Promise<ReportRow> {
  const status = action === 'deal' ? 1 : 2
  const report = await closeReport(tx, { id, status, mark: mark ?? null, handledBy: handlerId })
  if (!report) throw (await findReport(tx, id)) ? handledAlready() : notFound()
  await notify(tx, {
    type: 'system',
    recipients: [report.user_id],
    senderId: 0,
    cause: { type: 'reports', id },
    data: {
      type: 'report',
      state: action === 'deal' ? 'passed' : 'rejected',
      subject: report.subject,
      resource: { type: report.reportable_type, id: report.reportable_id },
    },
  })
  return report
}
