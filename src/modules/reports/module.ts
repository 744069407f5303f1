import { personalTable } from '#contracts/personal-data.ts'
import type { Statistics } from '#contracts/statistics.ts'
import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import { alreadySanctioned, cannotSanctionOneself } from '#modules/sanctions/index.ts'
import type { Context } from '#platform/context.ts'
import { accountErased } from '#platform/errors.ts'
import { Empty, Id, Listing, routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  decideReport,
  getReport,
  listReports,
  type Removals,
  Report,
  ReportDecision,
  ReportSearch,
} from './admin/service.ts'
import {
  handledAlready,
  mountReports,
  nobodyToSanction,
  nothingToRemove,
  onlyWhenDealtWith,
} from './reports.ts'
import { adminHistoryRoutes, userReportRoutes } from './routes.ts'

export const adminReportRoutes = (removals: Removals) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: reports' }
  const params = Type.Object({ report: Id })

  route('GET /admin/reports', {
    operationId: 'adminListReports',
    summary: 'List reports',
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
    summary: 'Resolve or reject a report once; the reporter is notified',
    description:
      'Removing content requires the ability to remove such content, and a sanction requires `admin: sanctions`. Either all changes happen, or none.',
    access,
    params,
    body: ReportDecision,
    reply: { 204: Empty },
    errors: [
      handledAlready,
      nothingToRemove,
      nobodyToSanction,
      onlyWhenDealtWith,
      accountErased,
      beyondOwnAbilities,
      alreadySanctioned,
      cannotSanctionOneself,
    ],
    precheck: ({ params, viewer }) => getReport(ctx, params.report, viewer.id),
    handler: (call) => decideReport(ctx, call, call.params.report, call.body, removals),
  })
}

/** Exports only reports by the user. A report about the user would reveal its reporter. */
export const reportPersonal = [
  personalTable({
    file: 'reports',
    about: { en: 'Reports you made', zh: '您的举报' },
    table: 'reports',
    key: ['id'],
    columns: [
      'id',
      'reportable_type',
      'reportable_id',
      'subject',
      'reason',
      'status',
      'created_at',
      'handled_at',
    ],
  }),
]

export const reportStatistics: Statistics = {
  queues: [
    {
      name: 'reports',
      ability: 'admin: reports',
      waiting: (sql) => sql`select created_at as since from reports where status = 0 order by id`,
    },
  ],
}

export const module: Module = {
  tags: {
    Reports: { place: 16, about: 'Reports to the moderators.' },
    'Admin: moderation': { place: 31, about: 'Reports, sensitive words, feedback and pins.' },
  },
  routes: (site) => [userReportRoutes, adminReportRoutes(site.removals), adminHistoryRoutes],
  personalData: { place: 24, tables: reportPersonal },
  statistics: { place: 11, ...reportStatistics },
  offers: { mountReports },
}
