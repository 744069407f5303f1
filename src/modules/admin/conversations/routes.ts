import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { deleteFeedback } from '#modules/conversations/index.ts'
import { takeNoticeBack } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { listConversationRecords } from './queries.ts'
import { ConversationListing, ConversationParams, ConversationSearch } from './schema.ts'

/** What people write to the site, beside the notices to them. */
export function adminConversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: conversations' }

  server.get(
    '/admin/conversations',
    {
      config: { access, personal: true },
      schema: {
        tags,
        summary: 'Feedback of people, and notices to them',
        querystring: ConversationSearch,
        response: { 200: ConversationListing },
      },
    },
    async (request) => {
      const { data, total } = await listConversationRecords(sql, request.query)
      const people = await userViews(
        ctx,
        sql,
        data.map((row) => row.user_id),
        viewerOf(request).id,
      )
      const shown = data.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        user: people.get(row.user_id) ?? null,
      }))
      return { data: shown, total }
    },
  )

  server.delete(
    '/admin/conversations/:conversation',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete feedback, or take a notice back',
        params: ConversationParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { conversation: id } = request.params
      await transaction(sql, async (tx) => {
        const userId = await deleteFeedback(tx, id)
        if (userId !== undefined)
          return recordAudit(tx, request, {
            action: 'feedback.delete',
            subjectType: 'feedback',
            subjectId: id,
            before: { user_id: userId },
          })
        const contents = await takeNoticeBack(tx, id)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, request, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: id,
          before: { contents },
        })
      })
      return reply.code(204).send()
    },
  )
}
