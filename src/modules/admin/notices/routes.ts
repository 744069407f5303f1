import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import {
  findUnreachable,
  type NoticeRow,
  sendNotice,
  takeNoticeBack,
  updateNotice,
} from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { findNotice, listNotices } from './queries.ts'
import { NoticeChanges, NoticeInput, NoticeListing, NoticeQuery, NoticeView } from './schema.ts'

const view = (row: NoticeRow) => ({
  ...row,
  all: row.user_ids === null,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
})

/** System notices to some people or to everybody (decisions §12). */
export function noticeRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const access = { ability: 'admin:notice:send' }
  const tags = ['Administration']
  const params = Type.Object({ notice: Id })
  const before = async (request: FastifyRequest) => {
    if (!(await findNotice(sql, (request.params as { notice: number }).notice))) throw notFound()
  }

  server.get(
    '/admin/notices',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Notices sent, with their progress',
        querystring: NoticeQuery,
        response: { 200: NoticeListing },
      },
    },
    async (request) => {
      const { data, total } = await listNotices(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/notices/:notice',
    {
      config: { access },
      schema: { tags, summary: 'A notice with its progress', params, response: { 200: NoticeView } },
    },
    async (request) => {
      const row = await findNotice(sql, request.params.notice)
      if (!row) throw notFound()
      return view(row)
    },
  )

  server.post(
    '/admin/notices',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Send a notice to some people or to everybody',
        body: NoticeInput,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { user_ids, all = false, contents } = request.body
      const userIds = [...new Set(user_ids ?? [])]
      if (all === userIds.length > 0)
        throw invalidField('user_ids', {
          en: 'Give either user_ids or all.',
          zh: 'user_ids 与 all 必须且只能提供一个。',
        })
      const [unknown] = await findUnreachable(sql, userIds)
      if (unknown !== undefined)
        throw invalidField('user_ids', { en: `There is no user ${unknown}.`, zh: `用户 ${unknown} 不存在。` })
      const id = await transaction(sql, async (tx) => {
        const made = await sendNotice(tx, {
          userId: viewerOf(request).id,
          contents,
          userIds: all ? null : userIds,
        })
        await recordAudit(tx, request, {
          action: 'notices.send',
          subjectType: 'notices',
          subjectId: made,
          after: { contents, ...(all ? { all } : { user_ids: userIds }) },
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/notices/:notice',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Change the text, also for those who were told already',
        params,
        body: NoticeChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { notice } = request.params
      const { contents } = request.body
      if (contents === undefined) await before(request)
      else
        await transaction(sql, async (tx) => {
          const former = await updateNotice(tx, notice, contents)
          if (former === undefined) throw notFound()
          await recordAudit(tx, request, {
            action: 'notices.update',
            subjectType: 'notices',
            subjectId: notice,
            before: { contents: former },
            after: { contents },
          })
        })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/notices/:notice',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Stop a notice and take it back from those who have not read it',
        params,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { notice } = request.params
      await transaction(sql, async (tx) => {
        const contents = await takeNoticeBack(tx, notice)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, request, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: notice,
          before: { contents },
        })
      })
      return reply.code(204).send()
    },
  )
}
