import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { payerOf, type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Text, Type } from '#platform/schema.ts'
import { AnswerMade } from '../answers/schema.ts'
import { noSuchAnswer } from '../errors.ts'
import { findAnswerRow } from '../queries.ts'
import { AnswerParams } from '../schema.ts'
import { answerViews } from '../view.ts'
import { payLook } from './service.ts'

const Payment = Type.Object({ password: Type.Optional(Text(128, { 'x-raw': true })) })

export function lookRoutes(server: Server, ctx: Context) {
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const { answer } = request.params as { answer: number }
    if (!(await findAnswerRow(ctx.sql, answer))) throw noSuchAnswer()
    await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
  }

  for (const path of ['/question-answers/:answer/onlookers', '/question-answers/:answer/currency-onlookers'])
    server.post(
      path,
      {
        config: { access: 'user', before: admit },
        schema: {
          tags: ['Answers'],
          summary: 'Pay for a look at an answer',
          params: AnswerParams,
          body: Payment,
          response: { 201: AnswerMade },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await admit(request, reply)
          const fee = (await readSettings(ctx))['question:onlookers-amount']
          const { id: viewer } = viewerOf(request)
          return atomically(async (tx) => {
            await payLook(tx, request.params.answer, viewer, fee)
            const row = await findAnswerRow(tx, request.params.answer)
            if (!row) throw noSuchAnswer()
            const [answer] = await answerViews(ctx, [row], viewer, tx)
            return { status: 201, body: { ...say(request, 'Paid.', '围观成功。'), answer: answer! } }
          })
        }),
    )
}
