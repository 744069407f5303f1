import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import { withUser } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { Empty, routesOn, type Server } from '#platform/http'
import { deleteAnswer } from '../answers/service.ts'
import { decideExcellence } from '../applications.ts'
import { applicationDecided, noSuchAnswer, noSuchQuestion } from '../errors.ts'
import { findApplication, findQuestionRow, lockQuestion, setExcellent } from '../queries.ts'
import { AnswerParams, QuestionParams } from '../schema.ts'
import { deleteQuestion } from '../service.ts'
import {
  AnswerListing,
  AnswerQuery,
  AnswerRecord,
  ApplicationListing,
  ApplicationParams,
  ApplicationQuery,
  Decision,
  listApplications,
  listQuestionIds,
  QuestionChanges,
  QuestionListing,
  QuestionQuery,
  QuestionRecord,
  searchAnswerIds,
} from './queries.ts'
import { answerRecords, questionRecords } from './view.ts'

const access = { ability: 'admin: questions' } as const

export function adminQuestionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: questions' })
  // Registers the DELETE routes that existing clients call under `/qa`. They have the tag of the public routes.
  const client = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /admin/questions', {
    operationId: 'adminListQuestions',
    summary: 'List questions',
    access,
    query: QuestionQuery,
    reply: { 200: QuestionListing },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listQuestionIds(sql, query)
      const ids = data.map(({ id }) => id)
      return { data: await questionRecords(ctx, ids, viewer.id), total }
    },
  })

  route('GET /admin/questions/:question', {
    operationId: 'adminGetQuestion',
    summary: 'Read a question',
    access,
    params: QuestionParams,
    reply: { 200: QuestionRecord },
    errors: [noSuchQuestion],
    handler: async ({ params, viewer }) => {
      const [record] = await questionRecords(ctx, [params.question], viewer.id)
      if (!record) throw noSuchQuestion()
      return record
    },
  })

  route('PATCH /admin/questions/:question', {
    operationId: 'adminUpdateQuestion',
    summary: 'Mark a question as excellent, or remove the mark',
    access,
    params: QuestionParams,
    body: QuestionChanges,
    reply: { 204: Empty },
    errors: [noSuchQuestion],
    precheck: async ({ params }) => {
      if (!(await findQuestionRow(sql, params.question))) throw noSuchQuestion()
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const id = call.params.question
        const { excellent } = call.body
        const question = await lockQuestion(tx, id)
        if (!question) throw noSuchQuestion()
        await setExcellent(tx, id, excellent)
        await recordAudit(tx, call, {
          action: 'questions.update',
          subjectType: 'questions',
          subjectId: id,
          before: { excellent: question.excellent },
          after: { excellent },
        })
      }),
  })

  for (const [add, operation, operationId] of [
    [route, 'DELETE /admin/questions/:question', 'adminDeleteQuestion'],
    [client, 'DELETE /qa/questions/:question', 'deleteQuestionAsModerator'],
  ] as const)
    add(operation, {
      operationId,
      summary: 'Delete a question and refund an unearned bounty',
      access,
      params: QuestionParams,
      reply: { 204: Empty },
      errors: [noSuchQuestion],
      handler: (call) =>
        transaction(sql, async (tx) => {
          const id = call.params.question
          const by = { userId: call.viewer.id, anybodys: true }
          const { subject, user_id, anonymity, amount, bounty } = await deleteQuestion(tx, id, by)
          await recordAudit(tx, call, {
            action: 'questions.delete',
            subjectType: 'questions',
            subjectId: id,
            // Omits anonymous authors, because the audit log must not reveal them.
            before: { subject, ...(anonymity ? {} : { user_id }), amount, bounty },
          })
          await publishEvent(ctx, tx, 'question.deleted', { id, deleted_by: call.viewer.id })
        }),
    })

  route('GET /admin/question-answers', {
    operationId: 'adminListAnswers',
    summary: 'List answers',
    access,
    query: AnswerQuery,
    reply: { 200: AnswerListing },
    handler: async ({ query, viewer }) => {
      const { data, total } = await searchAnswerIds(sql, query)
      const ids = data.map(({ id }) => id)
      return { data: await answerRecords(ctx, ids, viewer.id), total }
    },
  })

  route('GET /admin/question-answers/:answer', {
    operationId: 'adminGetAnswer',
    summary: 'Read an answer',
    access,
    params: AnswerParams,
    reply: { 200: AnswerRecord },
    errors: [noSuchAnswer],
    handler: async ({ params, viewer }) => {
      const [record] = await answerRecords(ctx, [params.answer], viewer.id)
      if (!record) throw noSuchAnswer()
      return record
    },
  })

  for (const [add, operation, operationId] of [
    [route, 'DELETE /admin/question-answers/:answer', 'adminDeleteAnswer'],
    [client, 'DELETE /qa/answers/:answer', 'deleteAnswerAsModerator'],
  ] as const)
    add(operation, {
      operationId,
      summary: 'Delete an answer without refunding payments for it',
      access,
      params: AnswerParams,
      reply: { 204: Empty },
      errors: [noSuchAnswer],
      handler: (call) =>
        transaction(sql, async (tx) => {
          const id = call.params.answer
          const by = { userId: call.viewer.id, anybodys: true }
          const { question_id, user_id, anonymity, adoption, invited } = await deleteAnswer(tx, id, by)
          await recordAudit(tx, call, {
            action: 'answers.delete',
            subjectType: 'question-answers',
            subjectId: id,
            before: { question_id, ...(anonymity ? {} : { user_id }), adoption, invited },
          })
          await publishEvent(ctx, tx, 'answer.deleted', { id, deleted_by: call.viewer.id })
        }),
    })

  route('GET /admin/question-applications', {
    operationId: 'adminListExcellenceApplications',
    summary: 'List requests to mark questions as excellent',
    access,
    query: ApplicationQuery,
    reply: { 200: ApplicationListing },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listApplications(sql, query)
      const rows = data.map((row) => ({
        ...row,
        decided_at: wireTimeOrNull(row.decided_at),
        created_at: wireTime(row.created_at),
      }))
      return { data: await withUser(ctx, rows, viewer.id), total }
    },
  })

  route('PATCH /admin/question-applications/:application', {
    operationId: 'adminDecideExcellenceApplication',
    summary: 'Accept a request, or reject it and refund the fee',
    access,
    params: ApplicationParams,
    body: Decision,
    reply: { 204: Empty },
    errors: [noSuchQuestion, applicationDecided],
    precheck: async ({ params }) => {
      if (!(await findApplication(sql, params.application))) throw notFound()
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const id = call.params.application
        const accept = call.body.action === 'accept'
        const decided = await decideExcellence(tx, id, { accept, decidedBy: call.viewer.id })
        await recordAudit(tx, call, {
          action: 'questions.excellence',
          subjectType: 'question-applications',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: decided.state, question_id: decided.question_id, amount: decided.amount },
        })
      }),
  })
}
