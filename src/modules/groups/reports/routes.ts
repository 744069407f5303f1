import type { FastifyRequest } from 'fastify'
import { findComments } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { Id, Message, Text, Type } from '#platform/schema.ts'
import { postContent, requireWriter } from '../posts/service.ts'
import { getManaged } from '../service.ts'
import { listReports } from './queries.ts'
import { GroupReport, RejectBody, ReportParams, ReportsQuery } from './schema.ts'
import { COMMENT, getReportToHandle, handleReport, POST, reportToManagers } from './service.ts'
import { reportViews } from './view.ts'

const tags = ['Groups']
const body = Type.Object({ content: Text(255, { minLength: 1 }) })

/** Reports inside circles (R §20.2.3). */
export function groupReportRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  const getPost = async (request: FastifyRequest) => {
    const { post } = request.params as { post: number }
    const { id: viewer } = viewerOf(request)
    const target = await postContent.find(sql, post, viewer)
    if (!target) throw notFound()
    await requireWriter(sql, post, viewer)
    return { target, postId: post }
  }
  const getComment = async (request: FastifyRequest) => {
    const { comment: id } = request.params as { comment: number }
    const { id: viewer } = viewerOf(request)
    const [comment] = await findComments(sql, [id])
    if (comment?.commentable_type !== postContent.type) throw notFound()
    const postId = comment.commentable_id
    if (!(await postContent.find(sql, postId, viewer))) throw notFound()
    await requireWriter(sql, postId, viewer)
    return { target: { id, ownerId: comment.user_id, contents: comment.body }, postId }
  }
  for (const [path, kind, find, param] of [
    ['/reports/posts/:post', POST, getPost, 'post'],
    ['/reports/comments/:comment', COMMENT, getComment, 'comment'],
  ] as const)
    server.post(
      path,
      {
        config: { access: 'user', before: find },
        schema: {
          tags,
          summary: `Report a ${param} to the managers of its group`,
          params: Type.Object({ [param]: Id }),
          body,
          response: { 201: Message },
        },
      },
      async (request, reply) => {
        const found = await find(request)
        const { content } = request.body
        await reportToManagers(ctx, { kind, ...found, userId: viewerOf(request).id, content })
        return reply.code(201).send(say(request, 'Reported.', '举报成功。'))
      },
    )

  server.get(
    '/reports',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List reports in the groups that I manage, or in one of them',
        querystring: ReportsQuery,
        response: { 200: Type.Array(GroupReport) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { group_id: group } = request.query
      if (group !== undefined) await getManaged(sql, group, viewer)
      return reportViews(ctx, await listReports(sql, viewer, request.query), viewer)
    },
  )

  for (const [verb, accept] of [
    ['accept', true],
    ['reject', false],
  ] as const)
    server.patch(
      `/reports/:report/${verb}`,
      {
        config: {
          access: 'user',
          before: (request) =>
            getReportToHandle(sql, (request.params as { report: number }).report, viewerOf(request).id),
        },
        schema: {
          tags,
          summary: accept
            ? 'Accept a report in a group that I manage'
            : 'Reject a report, with or without a cause',
          params: ReportParams,
          body: RejectBody,
          response: { 201: Message },
        },
      },
      async (request, reply) => {
        const { cause = null } = request.body
        await handleReport(ctx, request.params.report, viewerOf(request).id, { accept, cause })
        return reply.code(201).send(say(request, 'Done.', '操作成功。'))
      },
    )
}
