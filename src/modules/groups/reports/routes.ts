import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Id, Message, Type } from '#platform/schema.ts'
import { memberDisabled, noSuchGroup, noSuchPost, notManager } from '../errors.ts'
import { getManaged } from '../standing/service.ts'
import { listReports } from './queries.ts'
import { GroupReport, ReportParams, ReportRejection, ReportsQuery, ReportToManagers } from './schema.ts'
import {
  contentGone,
  getReportableComment,
  getReportablePost,
  getReportToHandle,
  handleReport,
  reportHandled,
  reportToManagers,
} from './service.ts'
import { groupReportViews } from './view.ts'

/** Reports inside groups (groups-28). */
export function groupReportRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('POST /reports/posts/:post', {
    operationId: 'reportGroupPost',
    summary: 'Report a post to the managers of its group',
    access: 'user',
    params: Type.Object({ post: Id }),
    body: ReportToManagers,
    reply: { 201: Message },
    errors: [noSuchPost, memberDisabled],
    load: ({ params, viewer }) => getReportablePost(sql, params.post, viewer.id),
    handler: async ({ request, viewer, body, loaded }) => {
      await reportToManagers(ctx, loaded, viewer.id, body.content)
      return say(request, 'Reported.', '举报成功。')
    },
  })

  route('POST /reports/comments/:comment', {
    operationId: 'reportGroupPostComment',
    summary: 'Report a comment to the managers of its group',
    access: 'user',
    params: Type.Object({ comment: Id }),
    body: ReportToManagers,
    reply: { 201: Message },
    errors: [noSuchPost, memberDisabled],
    load: ({ params, viewer }) => getReportableComment(sql, params.comment, viewer.id),
    handler: async ({ request, viewer, body, loaded }) => {
      await reportToManagers(ctx, loaded, viewer.id, body.content)
      return say(request, 'Reported.', '举报成功。')
    },
  })

  route('GET /reports', {
    operationId: 'listGroupReports',
    summary: 'List reports in the groups that I manage, or in one of them',
    access: 'user',
    query: ReportsQuery,
    reply: { 200: Type.Array(GroupReport) },
    errors: [noSuchGroup, notManager],
    handler: async ({ query, viewer }) => {
      if (query.group_id !== undefined) await getManaged(sql, query.group_id, viewer.id)
      return groupReportViews(ctx, await listReports(sql, viewer.id, query), viewer.id)
    },
  })

  for (const { verb, accept, summary } of [
    { verb: 'accept', accept: true, summary: 'Accept a report in a group that I manage' },
    { verb: 'reject', accept: false, summary: 'Reject a report, with or without a cause' },
  ] as const)
    route(`PATCH /reports/:report/${verb}`, {
      operationId: `${verb}GroupReport`,
      summary,
      access: 'user',
      params: ReportParams,
      body: ReportRejection,
      reply: { 201: Message },
      errors: [noSuchGroup, notManager, contentGone, reportHandled],
      whenInvalid: ({ params, viewer }) => getReportToHandle(sql, params.report, viewer.id),
      handler: async ({ request, params, viewer, body: { cause = null } }) => {
        await handleReport(ctx, params.report, viewer.id, { accept, cause })
        return say(request, 'Done.', '操作成功。')
      },
    })
}
