import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { recordAudit } from '#modules/audit/index.ts'
import { takeNoticeBack } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { deleteFeedback } from '../queries.ts'
import { listConversationRecords } from './queries.ts'
import { ConversationParams, ConversationRecord, ConversationSearch } from './schema.ts'

/** What people write to the site, beside the notices to them (administration-11). */
export function adminConversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: conversations' }

  route('GET /admin/conversations', {
    operationId: 'adminListConversations',
    summary: 'List feedback of people, and notices to them',
    access,
    personal: true,
    query: ConversationSearch,
    reply: { 200: Listing(ConversationRecord) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listConversationRecords(sql, query)
      const ids = data.map((row) => row.user_id)
      const people = await userViews(ctx, sql, ids, viewer.id)
      const shown = data.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        user: people.get(row.user_id) ?? null,
      }))
      return { data: shown, total }
    },
  })

  route('DELETE /admin/conversations/:conversation', {
    operationId: 'adminDeleteConversation',
    summary: 'Delete feedback, or take a notice back',
    access,
    params: ConversationParams,
    reply: { 204: Empty },
    errors: [notFound],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { conversation: id } = call.params
        const userId = await deleteFeedback(tx, id)
        if (userId !== undefined)
          return recordAudit(tx, call, {
            action: 'feedback.delete',
            subjectType: 'feedback',
            subjectId: id,
            before: { user_id: userId },
          })
        const contents = await takeNoticeBack(tx, id)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: id,
          before: { contents },
        })
      }),
  })
}
