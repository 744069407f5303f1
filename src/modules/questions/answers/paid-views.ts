import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { type Movement, moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { requireNotBlocked } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { localizedMessage, payerOf, RawText, routesOn, type Server, Shared, Type } from '#platform/http'
import { lookedAlready, noSuchAnswer, notEnoughPoints, notForPay } from '../errors.ts'
import { findQuestionRow } from '../queries.ts'
import { ANSWERS, AnswerParams } from '../schema.ts'
import { readQuestionSettings } from '../settings.ts'
import { AnswerMade, findAnswerRow, insertPaidView } from './queries.ts'
import { answerViews } from './view.ts'

/** Routes payments to a hidden recipient through escrow, so that no order names both users. */
function payment(movement: Movement, hidden: boolean): Movement[] {
  if (!hidden) return [movement]
  return [
    { ...movement, to: PLATFORM_ACCOUNTS.escrow },
    { ...movement, from: PLATFORM_ACCOUNTS.escrow },
  ]
}

/** Charges the viewer for an invited answer. The asker receives the whole fee (questions-13). */
async function payLook(tx: Tx, answerId: number, userId: number, amount: number): Promise<void> {
  const answer = await findAnswerRow(tx, answerId)
  const question = answer && (await findQuestionRow(tx, answer.question_id))
  if (!answer || !question) throw noSuchAnswer()
  const exempt = userId === answer.user_id || userId === question.user_id
  if (!answer.look || !answer.invited || exempt) throw notForPay()
  // Ignores a block by an anonymous asker, because an error would reveal the asker.
  if (!question.anonymity) await requireNotBlocked(tx, userId, [question.user_id])
  if (!(await insertPaidView(tx, { answerId, userId, amount })))
    throw (await findAnswerRow(tx, answerId)) ? lookedAlready() : noSuchAnswer()
  const movement = {
    currency: 'points',
    from: userId,
    to: question.user_id,
    amount,
    kind: 'onlook',
    subject: { type: ANSWERS, id: answerId },
    body: question.subject,
  } as const
  await moveFunds(tx, payment(movement, question.anonymity), notEnoughPoints)
  await notify(tx, {
    type: 'system',
    recipients: [question.user_id],
    hidesRecipients: question.anonymity,
    senderId: userId,
    cause: { type: ANSWERS, id: answerId },
    data: {
      type: 'qa:onlook',
      resource: { type: ANSWERS, id: answerId },
      question: { id: question.id, subject: question.subject },
      answer: { id: answerId },
      amount,
    },
  })
}

const LookPayment = Shared('LookPayment', { password: Type.Optional(RawText(128)) })

export function paidViewRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Answers' })

  route('POST /question-answers/:answer/onlookers', {
    operationId: 'payLook',
    aliases: { payLookByOldPath: '/question-answers/:answer/currency-onlookers' },
    summary: 'Pay to view an answer',
    access: 'user',
    params: AnswerParams,
    body: LookPayment,
    reply: { 201: AnswerMade },
    errors: [noSuchAnswer, ...PAYMENT_PASSWORD_ERRORS, notForPay, blocked, lookedAlready, notEnoughPoints],
    idempotent: true,
    load: async (arrival) => {
      if (!(await findAnswerRow(ctx.sql, arrival.params.answer))) throw noSuchAnswer()
      await checkPaymentPassword(ctx, payerOf(ctx, arrival))
    },
    handler: async ({ params, viewer, request, atomically }) => {
      const fee = (await readQuestionSettings(ctx))['question:onlookers-amount']
      return atomically(async (tx) => {
        await payLook(tx, params.answer, viewer.id, fee)
        const row = await findAnswerRow(tx, params.answer)
        if (!row) throw noSuchAnswer()
        const [answer] = await answerViews(ctx, [row], viewer.id, tx)
        return { ...localizedMessage(request, 'Paid.', '围观成功。'), answer: answer! }
      })
    },
  })
}
