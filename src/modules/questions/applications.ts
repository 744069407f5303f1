import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { localizedMessage, Message, routesOn, type Server, Shared, Type } from '#platform/http'
import {
  applicationDecided,
  appliedAlready,
  excellentAlready,
  noSuchQuestion,
  notEnoughPoints,
  notYourQuestion,
} from './errors.ts'
import {
  type ApplicationRow,
  closeApplication,
  findApplication,
  insertApplication,
  lockQuestion,
  setExcellent,
} from './queries.ts'
import { QUESTIONS, QuestionParams } from './schema.ts'
import { holdOwnQuestion, requireOwnQuestion } from './service.ts'
import { readQuestionSettings } from './settings.ts'

const SUBJECT = 'question-applications'

/** Requests excellence for the user's own question. Escrow holds the fee until the decision. */
async function applyForExcellence(
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

export async function decideExcellence(
  tx: Tx,
  id: number,
  { accept, decidedBy }: { accept: boolean; decidedBy: number },
): Promise<ApplicationRow> {
  const known = await findApplication(tx, id)
  if (!known) throw notFound()
  // Locks the question before the request, as the deletion of a question does, to prevent a deadlock.
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

const QuestionConfigs = Shared('QuestionConfigs', {
  apply_amount: Type.Integer({ description: 'Price of a request for excellence, in points' }),
  onlookers_amount: Type.Integer({ description: 'Price to view a paid answer, in points' }),
  anonymity_rule: Type.String(),
  reward_rule: Type.String(),
})

export function questionApplicationRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /question-configs', {
    operationId: 'getQuestionConfigs',
    summary: 'Read prices and rules of questions',
    access: 'optional',
    reply: { 200: QuestionConfigs },
    handler: async () => {
      const settings = await readQuestionSettings(ctx)
      return {
        apply_amount: settings['question:apply-amount'],
        onlookers_amount: settings['question:onlookers-amount'],
        anonymity_rule: settings['question:anonymity-rule'],
        reward_rule: settings['question:reward-rule'],
      }
    },
  })

  route('POST /user/question-application/:question', {
    operationId: 'applyForExcellence',
    aliases: { applyForExcellenceByOldPath: '/user/currency-question-application/:question' },
    summary: 'Request that a question of mine be marked as excellent',
    access: 'user',
    params: QuestionParams,
    reply: { 201: Message },
    errors: [noSuchQuestion, notYourQuestion, excellentAlready, appliedAlready, notEnoughPoints],
    idempotent: true,
    load: ({ params, viewer }) => requireOwnQuestion(ctx.sql, params.question, viewer.id),
    handler: async ({ params, viewer, request, atomically }) => {
      const fee = (await readQuestionSettings(ctx))['question:apply-amount']
      return atomically(async (tx) => {
        await applyForExcellence(tx, params.question, viewer.id, fee)
        return localizedMessage(request, 'Your request was submitted.', '申请已提交。')
      })
    },
  })
}
