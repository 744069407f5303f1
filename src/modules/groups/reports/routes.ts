import { withWireTimes } from '#lib/time.ts'
import { commentViews } from '#modules/comments/index.ts'
import { requireReason } from '#modules/reports/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { Id, localizedMessage, Message, routesOn, type Server, type Static, Type } from '#platform/http'
import { getManagedGroup } from '../access/service.ts'
import { memberDisabled, noSuchGroup, noSuchPost, notManager } from '../errors.ts'
import { postsById } from '../posts/view.ts'
import { groupsById } from '../view.ts'
import {
  contentGone,
  GroupReport,
  type GroupReportRow,
  getReportableComment,
  getReportablePost,
  getReportToHandle,
  handleReport,
  listReports,
  ReportedContent,
  ReportParams,
  ReportRejection,
  ReportsQuery,
  ReportToManagers,
  reportHandled,
  reportToManagers,
} from './service.ts'

const REPORTED = Object.keys(ReportedContent.properties)

const reported = (content: object | null) =>
  content &&
  (Object.fromEntries(Object.entries(content).filter(([name]) => REPORTED.includes(name))) as Static<
    typeof ReportedContent
  >)

async function groupReportViews(
  ctx: Context,
  rows: GroupReportRow[],
  viewerId: number,
): Promise<GroupReport[]> {
  const all = (of: (row: GroupReportRow) => number) => [...new Set(rows.map(of))]
  const [people, groups, posts, comments] = await Promise.all([
    userViews(
      ctx,
      ctx.sql,
      rows.flatMap((row) => [row.user_id, row.target_id]),
      viewerId,
    ),
    groupsById(
      ctx,
      all((row) => row.group_id),
      viewerId,
    ),
    postsById(
      ctx,
      all((row) => row.post_id),
      viewerId,
    ),
    commentViews(
      ctx,
      rows.filter((row) => row.type === 'comment').map((row) => row.resource_id),
      viewerId,
    ),
  ])
  return rows.map(({ post_id, subject, ...row }) => {
    const post = posts.get(post_id) ?? null
    const comment = (row.type === 'comment' ? comments.get(row.resource_id) : undefined) ?? null
    return {
      ...withWireTimes(row),
      user: people.get(row.user_id) ?? null,
      target: people.get(row.target_id) ?? null,
      group: groups.get(row.group_id) ?? null,
      resource: reported(row.type === 'comment' ? comment : post),
      post,
      comment,
    }
  })
}

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
      await reportToManagers(ctx, loaded, viewer.id, requireReason(body.content))
      return localizedMessage(request, 'Reported.', '举报成功。')
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
      await reportToManagers(ctx, loaded, viewer.id, requireReason(body.content))
      return localizedMessage(request, 'Reported.', '举报成功。')
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
      if (query.group_id !== undefined) await getManagedGroup(sql, query.group_id, viewer.id)
      return groupReportViews(ctx, await listReports(sql, viewer.id, query), viewer.id)
    },
  })

  for (const { verb, accept, summary } of [
    { verb: 'accept', accept: true, summary: 'Accept a report in a group that I manage' },
    { verb: 'reject', accept: false, summary: 'Reject a report, with an optional cause' },
  ] as const)
    route(`PATCH /reports/:report/${verb}`, {
      operationId: `${verb}GroupReport`,
      summary,
      access: 'user',
      params: ReportParams,
      body: ReportRejection,
      reply: { 201: Message },
      errors: [noSuchGroup, notManager, contentGone, reportHandled],
      precheck: ({ params, viewer }) => getReportToHandle(sql, params.report, viewer.id),
      handler: async ({ request, params, viewer, body: { cause = null } }) => {
        await handleReport(ctx, params.report, viewer.id, { accept, cause })
        return localizedMessage(request, 'Done.', '操作成功。')
      },
    })
}
