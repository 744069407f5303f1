import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import {
  decideExcellence,
  deleteAnswer,
  deleteQuestion,
  findApplication,
  lockQuestion,
  noSuchAnswer,
  noSuchQuestion,
  setExcellent,
} from '#modules/questions/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { listAnswerIds, listApplications, listQuestionIds } from './queries.ts'
import {
  AnswerListing,
  AnswerParams,
  AnswerQuery,
  AnswerRecord,
  ApplicationListing,
  ApplicationParams,
  ApplicationQuery,
  Decision,
  QuestionChanges,
  QuestionListing,
  QuestionParams,
  QuestionQuery,
  QuestionRecord,
} from './schema.ts'
import { moderatedAnswers, moderatedQuestions, withUser } from './view.ts'

const tags = ['Administration']
const access = { ability: 'admin: questions' }

/** Moderation of questions and answers, and requests for excellence. */
export function adminQuestionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/admin/questions',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List questions',
        querystring: QuestionQuery,
        response: { 200: QuestionListing },
      },
    },
    async (request) => {
      const { data, total } = await listQuestionIds(sql, request.query)
      const ids = data.map(({ id }) => id)
      return { data: await moderatedQuestions(ctx, ids, viewerOf(request).id), total }
    },
  )

  server.get(
    '/admin/questions/:question',
    {
      config: { access },
      schema: { tags, summary: 'A question', params: QuestionParams, response: { 200: QuestionRecord } },
    },
    async (request) => {
      const [record] = await moderatedQuestions(ctx, [request.params.question], viewerOf(request).id)
      if (!record) throw noSuchQuestion()
      return record
    },
  )

  server.patch(
    '/admin/questions/:question',
    {
      config: {
        access,
        async before(request) {
          const { question } = request.params as { question: number }
          if ((await moderatedQuestions(ctx, [question], 0)).length === 0) throw noSuchQuestion()
        },
      },
      schema: {
        tags,
        summary: 'Make a question an excellent one, or an ordinary one again',
        params: QuestionParams,
        body: QuestionChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { question: id } = request.params
      const { excellent } = request.body
      await transaction(sql, async (tx) => {
        const question = await lockQuestion(tx, id)
        if (!question) throw noSuchQuestion()
        await setExcellent(tx, id, excellent)
        await recordAudit(tx, request, {
          action: 'questions.update',
          subjectType: 'questions',
          subjectId: id,
          before: { excellent: question.excellent },
          after: { excellent },
        })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/questions/:question',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a question; a bounty that nobody earned goes back',
        params: QuestionParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { question: id } = request.params
      const { id: viewer } = viewerOf(request)
      await transaction(sql, async (tx) => {
        const { subject, user_id, amount, bounty } = await deleteQuestion(tx, id, {
          userId: viewer,
          anybodys: true,
        })
        await recordAudit(tx, request, {
          action: 'questions.delete',
          subjectType: 'questions',
          subjectId: id,
          before: { subject, user_id, amount, bounty },
        })
        await publishEvent(ctx, tx, 'question.deleted', { id, deleted_by: viewer })
      })
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/question-answers',
    {
      config: { access },
      schema: { tags, summary: 'List answers', querystring: AnswerQuery, response: { 200: AnswerListing } },
    },
    async (request) => {
      const { data, total } = await listAnswerIds(sql, request.query)
      const ids = data.map(({ id }) => id)
      return { data: await moderatedAnswers(ctx, ids, viewerOf(request).id), total }
    },
  )

  server.get(
    '/admin/question-answers/:answer',
    {
      config: { access },
      schema: { tags, summary: 'An answer', params: AnswerParams, response: { 200: AnswerRecord } },
    },
    async (request) => {
      const [record] = await moderatedAnswers(ctx, [request.params.answer], viewerOf(request).id)
      if (!record) throw noSuchAnswer()
      return record
    },
  )

  server.delete(
    '/admin/question-answers/:answer',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete an answer; what was paid for it stays paid',
        params: AnswerParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { answer: id } = request.params
      const { id: viewer } = viewerOf(request)
      await transaction(sql, async (tx) => {
        const { question_id, user_id, adoption, invited } = await deleteAnswer(tx, id, {
          userId: viewer,
          anybodys: true,
        })
        await recordAudit(tx, request, {
          action: 'answers.delete',
          subjectType: 'question-answers',
          subjectId: id,
          before: { question_id, user_id, adoption, invited },
        })
        await publishEvent(ctx, tx, 'answer.deleted', { id, deleted_by: viewer })
      })
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/question-applications',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List requests that questions become excellent ones',
        querystring: ApplicationQuery,
        response: { 200: ApplicationListing },
      },
    },
    async (request) => {
      const { data, total } = await listApplications(sql, request.query)
      const rows = data.map((row) => ({
        ...row,
        decided_at: wireTimeOrNull(row.decided_at),
        created_at: wireTime(row.created_at),
      }))
      return { data: await withUser(ctx, rows, viewerOf(request).id), total }
    },
  )

  server.patch(
    '/admin/question-applications/:application',
    {
      config: {
        access,
        async before(request) {
          const { application } = request.params as { application: number }
          if (!(await findApplication(sql, application))) throw notFound()
        },
      },
      schema: {
        tags,
        summary: 'Accept a request, or reject it and give the fee back',
        params: ApplicationParams,
        body: Decision,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { application: id } = request.params
      await transaction(sql, async (tx) => {
        const decided = await decideExcellence(tx, id, {
          accept: request.body.action === 'accept',
          decidedBy: viewerOf(request).id,
        })
        await recordAudit(tx, request, {
          action: 'questions.excellence',
          subjectType: 'question-applications',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: decided.state, question_id: decided.question_id, amount: decided.amount },
        })
      })
      return reply.code(204).send()
    },
  )
}
