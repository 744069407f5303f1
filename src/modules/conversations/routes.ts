import type { FastifyReply } from 'fastify'
import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { tellRate } from '#platform/http/admission.ts'
import { limitHeaders, type Server, say, viewerOf } from '#platform/http.ts'
import { insertFeedback, listConversations } from './queries.ts'
import { ConversationQuery, Conversations, FeedbackReply, NewFeedback } from './schema.ts'
import { conversationView } from './view.ts'

const tags = ['Conversations']
/** What a bigint holds; a larger mark gives way to the time. */
const MARK_MAX = 9e18

/** Feedback to the site, and what the site has to say (R §23.5). */
export function conversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  /** As often as other sensitive requests, but counted apart: writing to the site keeps nobody from signing in. */
  const limit = async (reply: FastifyReply, userId: number) => {
    const allowed = ctx.config.rateLimits.sensitive
    if (allowed === 0) return
    const state = await ctx.limiter.hit(`sensitive:feedback:${userId}`, allowed)
    tellRate(reply, state)
    if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
  }

  server.post(
    '/user/feedback',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Write to those who run the site',
        body: NewFeedback,
        response: { 201: FeedbackReply },
      },
    },
    async (request, reply) => {
      const { id } = viewerOf(request)
      await limit(reply, id)
      const { content, system_mark } = request.body
      const mark = Number(system_mark ?? Infinity)
      const row = await insertFeedback(sql, id, { content, mark: mark <= MARK_MAX ? mark : null })
      const data = conversationView(row)
      return reply.code(201).send({ ...say(request, 'Thank you for your feedback.', '反馈成功。'), data })
    },
  )

  server.get(
    '/user/conversations',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'My feedback and the notices to me or to everybody, the newest first',
        querystring: ConversationQuery,
        response: { 200: Conversations },
      },
    },
    async (request) =>
      (await listConversations(sql, viewerOf(request).id, request.query)).map(conversationView),
  )
}
