import { move, PLATFORM } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Tx } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { lockAnswer } from '../answers/queries.ts'
import { noSuchAnswer } from '../errors.ts'
import { holdOwnQuestion } from '../publishing/service.ts'
import type { AnswerRow, QuestionRow } from '../queries.ts'
import { senderOf } from '../service.ts'
import { ANSWERS, QUESTIONS } from '../view.ts'
import { addExpertIncome, adoptAnswer, takeBounty } from './queries.ts'

const ownAnswer = apiError(422, 'own_answer', 'You cannot adopt your own answer.', '不能采纳自己的回答。')
const adoptedAlready = apiError(
  422,
  'adopted_already',
  'An answer of this question is adopted already.',
  '该问题已有采纳的回答。',
)

/** Pays the held bounty of a locked question to who answered. A bounty is paid once, whatever else happens. */
export async function payBounty(
  tx: Tx,
  question: Pick<QuestionRow, 'id' | 'amount' | 'subject'>,
  answer: Pick<AnswerRow, 'user_id' | 'anonymity'>,
): Promise<void> {
  if (!(await takeBounty(tx, question.id))) return
  await move(tx, {
    currency: 'points',
    from: PLATFORM.escrow,
    to: answer.user_id,
    amount: question.amount,
    kind: 'bounty:paid',
    subject: { type: QUESTIONS, id: question.id },
    body: question.subject,
  })
  if (!answer.anonymity) await addExpertIncome(tx, question.id, answer.user_id, question.amount)
}

/** Adopts an answer of one's question, which earns the bounty unless that is for who was invited (R §19.4). */
export async function adopt(tx: Tx, questionId: number, answerId: number, userId: number): Promise<void> {
  const question = await holdOwnQuestion(tx, questionId, userId)
  const answer = await lockAnswer(tx, answerId)
  if (!answer || answer.question_id !== questionId) throw noSuchAnswer()
  if (answer.user_id === userId) throw ownAnswer()
  if (!(await adoptAnswer(tx, questionId, answerId))) throw adoptedAlready()
  if (!question.automaticity) await payBounty(tx, question, answer)
  await notify(tx, {
    type: 'system',
    recipients: [answer.user_id],
    ...senderOf(userId, question.anonymity),
    cause: { type: ANSWERS, id: answerId },
    data: {
      type: 'qa:answer-adoption',
      resource: { type: ANSWERS, id: answerId },
      question: { id: questionId, subject: question.subject },
      answer: { id: answerId },
    },
  })
}
