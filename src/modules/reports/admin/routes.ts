import { mayDoMore } from '#modules/abilities/index.ts'
import { sanctionedAlready, sanctionedOneself } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty, Id, Type } from '#platform/schema.ts'
import { handledAlready, nobodyToSanction, nothingToRemove, onlyWhenDealtWith } from '../errors.ts'
import { Report, ReportDecision, ReportSearch } from './schema.ts'
import { decideReport, getReport, listReports, type Removals } from './service.ts'

/** Reports for those who handle them (feeds-25). */
export const adminReportRoutes = (removals: Removals) => (server: Server, ctx: Context) => {
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
    description:
      'Removing needs the ability that removes such content, a sanction `admin: sanctions`. All of it happens or nothing.',
    access,
    params,
    body: ReportDecision,
    reply: { 204: Empty },
    errors: [
      handledAlready,
      nothingToRemove,
      nobodyToSanction,
      onlyWhenDealtWith,
      mayDoMore,
      sanctionedAlready,
      sanctionedOneself,
    ],
    whenInvalid: ({ params, viewer }) => getReport(ctx, params.report, viewer.id),
    handler: (call) => decideReport(ctx, call, call.params.report, call.body, removals),
  })
}
