import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { onConstraint, type Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  applicationDecided,
  appliedAlready,
  excellentAlready,
  noSuchQuestion,
  notEnoughPoints,
} from '../errors.ts'
import { lockQuestion, setExcellent } from '../queries.ts'
import { QUESTIONS } from '../schema.ts'
import { holdOwnQuestion } from '../service.ts'
import { type ApplicationRow, closeApplication, findApplication, insertApplication } from './queries.ts'

const SUBJECT = 'question-applications'

/** Requests excellence for the user's own question. The fee is held in escrow until the decision. */
export async function applyForExcellence(
  tx: Tx,
  questionId: number,
  userId: number,
  amount: number,
): Promise<number> {
  const question = await holdOwnQuestion(tx, questionId, userId)
  if (question.excellent) throw excellentAlready()
  const id = await onConstraint(insertApplication(tx, { questionId, userId, amount }), {
    question_applications_open: appliedAlready,
  })
  await moveFunds(
    tx,
    {
      currency: 'points',
      from: userId,
      to: PLATFORM_ACCOUNTS.escrow,
      amount,
      kind: 'excellence',
      subject: { type: SUBJECT, id },
      body: question.subject,
    },
    notEnoughPoints,
  )
  return id
}

/** Decides a request once and notifies the asker. The fee becomes income of the site or is refunded. */
export async function decideExcellence(
  tx: Tx,
  id: number,
  { accept, decidedBy }: { accept: boolean; decidedBy: number },
): Promise<ApplicationRow> {
  const known = await findApplication(tx, id)
  if (!known) throw notFound()
  // Locks the question before the request, as a deletion does, to prevent deadlocks.
  const question = await lockQuestion(tx, known.question_id)
  const state = accept ? 'passed' : 'rejected'
  const application = await closeApplication(tx, { id, state, decidedBy })
  if (!application) throw applicationDecided()
  if (!question) throw noSuchQuestion()
  if (accept) await setExcellent(tx, question.id, true)
  await moveFunds(tx, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.escrow,
    to: accept ? PLATFORM_ACCOUNTS.income : application.user_id,
    amount: application.amount,
    kind: accept ? 'excellence' : 'excellence:refunded',
    subject: { type: SUBJECT, id },
    body: question.subject,
  })
  await notify(tx, {
    type: 'system',
    recipients: [application.user_id],
    hidesRecipients: question.anonymity,
    senderId: 0,
    cause: { type: QUESTIONS, id: question.id },
    data: {
      type: accept ? 'qa:question-excellent:accept' : 'qa:question-excellent:reject',
      state,
      resource: { type: QUESTIONS, id: question.id },
      question: { id: question.id, subject: question.subject },
    },
  })
  return application
}
