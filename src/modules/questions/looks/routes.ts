import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { RawText, Shared, Type } from '#platform/schema.ts'
import { findAnswerRow } from '../answers/queries.ts'
import { AnswerMade } from '../answers/schema.ts'
import { answerViews } from '../answers/view.ts'
import { lookedAlready, noSuchAnswer, notEnoughPoints, notForPay } from '../errors.ts'
import { AnswerParams } from '../schema.ts'
import { payLook } from './service.ts'

/** The payment password, where the site asks for it. */
const LookPayment = Shared('LookPayment', { password: Type.Optional(RawText(128)) })

/** Paying to see the answer of who was invited (questions-13). */
export function lookRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Answers' })

  route('POST /question-answers/:answer/onlookers', {
    operationId: 'payLook',
    aliases: { payLookByOldPath: '/question-answers/:answer/currency-onlookers' },
    summary: 'Pay for a look at an answer',
    access: 'user',
    params: AnswerParams,
    body: LookPayment,
    reply: { 201: AnswerMade },
    errors: [noSuchAnswer, ...PAYMENT_PASSWORD_ERRORS, notForPay, lookedAlready, notEnoughPoints],
    idempotent: true,
    load: async (arrival) => {
      if (!(await findAnswerRow(ctx.sql, arrival.params.answer))) throw noSuchAnswer()
      await checkPaymentPassword(ctx, payerOf(ctx, arrival))
    },
    handler: async ({ params, viewer, request, atomically }) => {
      const fee = (await readSettings(ctx))['question:onlookers-amount']
      return atomically(async (tx) => {
        await payLook(tx, params.answer, viewer.id, fee)
        const row = await findAnswerRow(tx, params.answer)
        if (!row) throw noSuchAnswer()
        const [answer] = await answerViews(ctx, [row], viewer.id, tx)
        return { ...say(request, 'Paid.', '围观成功。'), answer: answer! }
      })
    },
  })
}
