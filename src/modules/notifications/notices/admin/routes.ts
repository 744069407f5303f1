import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { findUnreachable, updateNotice } from '../queries.ts'
import type { NoticeRow } from '../schema.ts'
import { sendNotice, takeNoticeBack } from '../service.ts'
import { findNotice, listNotices } from './queries.ts'
import { NoticeChanges, NoticeInput, NoticeQuery, NoticeView } from './schema.ts'

const view = (row: NoticeRow) => ({
  ...row,
  all: row.user_ids === null,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
})

/** System notices to some people or to everybody (administration-12). */
export function adminNoticeRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin:notice:send' }
  const params = Type.Object({ notice: Id })

  const get = async (call: { params: { notice: number } }): Promise<NoticeRow> => {
    const row = await findNotice(sql, call.params.notice)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/notices', {
    operationId: 'adminListNotices',
    summary: 'List notices sent, with their progress',
    access,
    query: NoticeQuery,
    reply: { 200: Listing(NoticeView) },
    handler: async ({ query }) => {
      const { data, total } = await listNotices(sql, query)
      return { data: data.map(view), total }
    },
  })

  route('GET /admin/notices/:notice', {
    operationId: 'adminGetNotice',
    summary: 'Read a notice with its progress',
    access,
    params,
    reply: { 200: NoticeView },
    load: get,
    handler: ({ loaded }) => view(loaded),
  })

  route('POST /admin/notices', {
    operationId: 'adminSendNotice',
    summary: 'Send a notice to some people or to everybody',
    access,
    body: NoticeInput,
    reply: { 201: Created },
    handler: async (call) => {
      const { user_ids, all = false, contents } = call.body
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
        const notice = { userId: call.viewer.id, contents, userIds: all ? null : userIds }
        const made = await sendNotice(tx, notice)
        await recordAudit(tx, call, {
          action: 'notices.send',
          subjectType: 'notices',
          subjectId: made,
          after: { contents, ...(all ? { all } : { user_ids: userIds }) },
        })
        return made
      })
      return { id }
    },
  })

  route('PATCH /admin/notices/:notice', {
    operationId: 'adminUpdateNotice',
    summary: 'Change the text, also for those who were told already',
    access,
    params,
    body: NoticeChanges,
    reply: { 204: Empty },
    whenInvalid: get,
    handler: async (call) => {
      const { notice } = call.params
      const { contents } = call.body
      if (contents === undefined) {
        await get(call)
        return
      }
      await transaction(sql, async (tx) => {
        const former = await updateNotice(tx, notice, contents)
        if (former === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.update',
          subjectType: 'notices',
          subjectId: notice,
          before: { contents: former },
          after: { contents },
        })
      })
    },
  })

  route('DELETE /admin/notices/:notice', {
    operationId: 'adminWithdrawNotice',
    summary: 'Stop a notice and take it back from those who have not read it',
    access,
    params,
    reply: { 204: Empty },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { notice } = call.params
        const contents = await takeNoticeBack(tx, notice)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: notice,
          before: { contents },
        })
      }),
  })
}
