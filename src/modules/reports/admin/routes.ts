import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty, Id, Type } from '#platform/schema.ts'
import { Report, ReportDecision, ReportSearch } from './schema.ts'
import { getReport, handledAlready, handleReport, listReports } from './service.ts'

/** Reports for those who handle them (feeds-25). */
export function adminReportRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: reports' }
  const params = Type.Object({ report: Id })

  route('GET /admin/reports', {
    operationId: 'adminListReports',
    summary: 'List what was reported',
    access,
    query: ReportSearch,
    reply: { 200: Listing(Report) },
    handler: ({ query, viewer }) => listReports(ctx, query, viewer.id),
  })

  route('GET /admin/reports/:report', {
    operationId: 'adminGetReport',
    summary: 'Read a report',
    access,
    params,
    reply: { 200: Report },
    handler: ({ params, viewer }) => getReport(ctx, params.report, viewer.id),
  })

  route('PATCH /admin/reports/:report', {
    operationId: 'adminHandleReport',
    summary: 'Deal with or reject a report, once; who reported is told',
    access,
    params,
    body: ReportDecision,
    reply: { 204: Empty },
    errors: [handledAlready],
    whenInvalid: ({ params, viewer }) => getReport(ctx, params.report, viewer.id),
    handler: (call) =>
      transaction(ctx.sql, async (tx) => {
        const report = await handleReport(tx, call.params.report, call.body, call.viewer.id)
        await recordAudit(tx, call, {
          action: `reports.${call.body.action}`,
          subjectType: 'reports',
          subjectId: report.id,
          before: { status: 0 },
          after: { status: report.status, mark: report.mark },
        })
      }),
  })
}
