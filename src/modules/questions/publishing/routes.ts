import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { payerOf, type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty } from '#platform/schema.ts'
import { QuestionParams } from '../schema.ts'
import { questionViews } from '../view.ts'
import { Bounty, NewQuestion, QuestionMade, QuestionPatch } from './schema.ts'
import {
  askQuestion,
  deleteQuestion,
  editQuestion,
  requireAnonymity,
  requireOwnQuestion,
  resetBounty,
} from './service.ts'

const tags = ['Questions']
const SCREENED = ['subject', 'body', 'text_body'] as const
const idOf = (request: FastifyRequest) => (request.params as { question: number }).question

/**
 * Asking, changing and deleting. The plain paths moved wallet money in the original and those with `currency-` points;
 * here both are about points.
 */
export function questionPublishingRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  /** The payment password, where the request pays a bounty. */
  const admitPayer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { amount } = (request.body ?? {}) as { amount?: unknown }
    if (amount === undefined || amount === null || amount === '' || Number(amount) === 0) return
    await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
  }
  const admitOwner = async (request: FastifyRequest, reply: FastifyReply) => {
    await requireOwnQuestion(sql, idOf(request), viewerOf(request).id)
    await admitPayer(request, reply)
  }

  for (const path of ['/questions', '/currency-questions']) {
    server.post(
      path,
      {
        config: { access: 'user', before: admitPayer },
        schema: { tags, summary: 'Ask a question', body: NewQuestion, response: { 201: QuestionMade } },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await admitPayer(request, reply)
          await requireAnonymity(ctx, request.body.anonymity)
          const { id: viewer } = viewerOf(request)
          const body = await screen(ctx, request.body, NewQuestion, SCREENED)
          return atomically(async (tx) => {
            const row = await askQuestion(tx, viewer, body)
            const { id, anonymity } = row
            await publishEvent(ctx, tx, 'question.created', anonymity ? { id } : { id, user_id: viewer })
            const [question] = await questionViews(ctx, [row], viewer, tx)
            return {
              status: 201,
              body: { ...say(request, 'Your question was asked.', '发布成功。'), question: question! },
            }
          })
        }),
    )

    server.patch(
      `${path}/:question`,
      {
        config: { access: 'user', before: admitOwner },
        schema: {
          tags,
          summary: 'Change a question of mine',
          params: QuestionParams,
          body: QuestionPatch,
          response: { 204: Empty },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await admitOwner(request, reply)
          await requireAnonymity(ctx, request.body.anonymity)
          const patch = await screen(ctx, request.body, QuestionPatch, SCREENED)
          return atomically(async (tx) => {
            await editQuestion(tx, request.params.question, viewerOf(request).id, patch)
            return { status: 204 }
          })
        }),
    )

    server.patch(
      `${path}/:question/amount`,
      {
        config: { access: 'user', before: admitOwner },
        schema: {
          tags,
          summary: 'Set or change the bounty of a question of mine',
          params: QuestionParams,
          body: Bounty,
          response: { 204: Empty },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await admitOwner(request, reply)
          return atomically(async (tx) => {
            await resetBounty(tx, request.params.question, viewerOf(request).id, request.body.amount)
            return { status: 204 }
          })
        }),
    )

    server.delete(
      `${path}/:question`,
      {
        config: { access: 'user' },
        schema: {
          tags,
          summary: 'Delete a question of mine; a bounty that nobody earned comes back',
          params: QuestionParams,
          response: { 204: Empty },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await requireOwnQuestion(sql, request.params.question, viewerOf(request).id)
          return atomically(async (tx) => {
            await deleteQuestion(tx, request.params.question, {
              userId: viewerOf(request).id,
              anybodys: false,
            })
            const { question: id } = request.params
            await publishEvent(ctx, tx, 'question.deleted', { id })
            return { status: 204 }
          })
        }),
    )
  }
}
