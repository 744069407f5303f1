import { type Movement, move, PLATFORM } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Tx } from '#platform/database.ts'
import { findAnswerRow } from '../answers/queries.ts'
import { lookedAlready, noSuchAnswer, notEnoughPoints, notForPay } from '../errors.ts'
import { findQuestionRow } from '../queries.ts'
import { ANSWERS } from '../schema.ts'
import { insertLook } from './queries.ts'

/**
 * Movements of a payment to somebody who may not be known to the payer: then they pass through escrow, so that neither
 * side's order names the other.
 */
function payment(movement: Movement, hidden: boolean): Movement[] {
  if (!hidden) return [movement]
  return [
    { ...movement, to: PLATFORM.escrow },
    { ...movement, from: PLATFORM.escrow },
  ]
}

/** Pays for a look at the answer of who was invited; the fee is the asker's in full (questions-13). */
export async function payLook(tx: Tx, answerId: number, userId: number, amount: number): Promise<void> {
  const answer = await findAnswerRow(tx, answerId)
  const question = answer && (await findQuestionRow(tx, answer.question_id))
  if (!answer || !question) throw noSuchAnswer()
  const exempt = userId === answer.user_id || userId === question.user_id
  if (!answer.look || !answer.invited || exempt) throw notForPay()
  if (!(await insertLook(tx, { answerId, userId, amount })))
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
  await move(tx, payment(movement, question.anonymity), notEnoughPoints)
  await notify(tx, {
    type: 'system',
    recipients: [question.user_id],
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
