import type { FastifyReply } from 'fastify'
import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { tellRate } from '#platform/http/admission.ts'
import { routesOn } from '#platform/http/route.ts'
import { limitHeaders, type Server, say } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { insertFeedback, listConversations } from './queries.ts'
import { ConversationQuery, ConversationView, FeedbackReply, NewFeedback } from './schema.ts'
import { conversationView } from './view.ts'

/** What a bigint holds; a larger mark gives way to the time. */
const MARK_MAX = 9e18

/** Feedback to the site, and what the site has to say (notifications-15). */
export function conversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Conversations' })

  /** As often as other sensitive requests, but counted apart: writing to the site keeps nobody from signing in. */
  const limit = async (reply: FastifyReply, userId: number) => {
    const allowed = ctx.config.rateLimits.sensitive
    if (allowed === 0) return
    const state = await ctx.limiter.hit(`sensitive:feedback:${userId}`, allowed)
    tellRate(reply, state)
    if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
  }

  route('POST /user/feedback', {
    operationId: 'createFeedback',
    summary: 'Write to those who run the site',
    access: 'user',
    body: NewFeedback,
    reply: { 201: FeedbackReply },
    handler: async ({ viewer, body, request, reply }) => {
      await limit(reply, viewer.id)
      const mark = Number(body.system_mark ?? Infinity)
      const row = await insertFeedback(sql, viewer.id, {
        content: body.content,
        mark: mark <= MARK_MAX ? mark : null,
      })
      return { ...say(request, 'Thank you for your feedback.', '反馈成功。'), data: conversationView(row) }
    },
  })

  route('GET /user/conversations', {
    operationId: 'listConversations',
    summary: 'List my feedback and the notices to me or to everybody, the newest first',
    access: 'user',
    query: ConversationQuery,
    reply: { 200: Type.Array(ConversationView) },
    handler: async ({ viewer, query }) =>
      (await listConversations(sql, viewer.id, query)).map(conversationView),
  })
}
