import { move, PLATFORM } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { onConstraint, type Tx } from '#platform/database.ts'
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

/** Asks that a question of one's own become an excellent one; the fee waits in escrow for the decision. */
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
  await move(
    tx,
    {
      currency: 'points',
      from: userId,
      to: PLATFORM.escrow,
      amount,
      kind: 'excellence',
      subject: { type: SUBJECT, id },
      body: question.subject,
    },
    notEnoughPoints,
  )
  return id
}

/** Decides on a request, exactly once: the fee becomes the site's income, or goes back. The asker is told. */
export async function decideExcellence(
  tx: Tx,
  id: number,
  { accept, decidedBy }: { accept: boolean; decidedBy: number },
): Promise<ApplicationRow> {
  const known = await findApplication(tx, id)
  if (!known) throw notFound()
  // Whoever deletes the question locks it first and the request then, so this is the order here too.
  const question = await lockQuestion(tx, known.question_id)
  const state = accept ? 'passed' : 'rejected'
  const application = await closeApplication(tx, { id, state, decidedBy })
  if (!application) throw applicationDecided()
  if (!question) throw noSuchQuestion()
  if (accept) await setExcellent(tx, question.id, true)
  await move(tx, {
    currency: 'points',
    from: PLATFORM.escrow,
    to: accept ? PLATFORM.income : application.user_id,
    amount: application.amount,
    kind: accept ? 'excellence' : 'excellence:refunded',
    subject: { type: SUBJECT, id },
    body: question.subject,
  })
  await notify(tx, {
    type: 'system',
    recipients: [application.user_id],
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
