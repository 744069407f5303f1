import {
  getReport,
  handleReport,
  listReports,
  ReportDecision,
  ReportListing,
  ReportSearch,
  ReportView,
} from '#modules/reports/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'

export function reportAdminRoutes(server: Server, ctx: Context) {
  const access = { ability: 'admin: reports' }
  const tags = ['Administration']
  const params = Type.Object({ report: Id })

  server.get(
    '/admin/reports',
    { config: { access }, schema: { tags, querystring: ReportSearch, response: { 200: ReportListing } } },
    (request) => listReports(ctx, request.query, viewerOf(request).id),
  )

  server.get(
    '/admin/reports/:report',
    { config: { access }, schema: { tags, params, response: { 200: ReportView } } },
    (request) => getReport(ctx, request.params.report, viewerOf(request).id),
  )

  server.patch(
    '/admin/reports/:report',
    {
      config: {
        access,
        before: (request) =>
          getReport(ctx, (request.params as { report: number }).report, viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Deal with or reject a report, once; who reported is told',
        params,
        body: ReportDecision,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { id: handler } = viewerOf(request)
      await transaction(ctx.sql, async (tx) => {
        const report = await handleReport(tx, request.params.report, request.body, handler)
        await recordAudit(tx, request, {
          action: `reports.${request.body.action}`,
          subjectType: 'reports',
          subjectId: report.id,
          before: { status: 0 },
          after: { status: report.status, mark: report.mark },
        })
      })
      return reply.code(204).send()
    },
  )
}
