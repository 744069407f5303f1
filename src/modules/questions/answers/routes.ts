import type { FastifyRequest } from 'fastify'
import { publishEvent } from '#modules/notifications/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import { adopt } from '../bounties/service.ts'
import { answerAdopted, noSuchQuestion } from '../errors.ts'
import { requireAnonymity, requireOwnQuestion } from '../publishing/service.ts'
import { findQuestionRow } from '../queries.ts'
import { leaveRankings } from '../ranks/service.ts'
import { AnswerDetail, AnswerParams, AnswerView, QuestionParams } from '../schema.ts'
import { answerViews } from '../view.ts'
import { AnswerMade, AnswerPatch, AnswersQuery, NewAnswer } from './schema.ts'
import {
  answerQuestion,
  deleteAnswer,
  editAnswer,
  getAnswer,
  listAnswersOf,
  requireOwnAnswer,
} from './service.ts'

const tags = ['Answers']
const SCREENED = ['body', 'text_body'] as const
const paramOf = (request: FastifyRequest, name: string) => (request.params as Record<string, number>)[name]!

export function answerRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const requireQuestion = async (request: FastifyRequest) => {
    if (!(await findQuestionRow(sql, paramOf(request, 'question')))) throw noSuchQuestion()
  }

  server.get(
    '/questions/:question/answers',
    {
      config: { access: 'optional', before: requireQuestion },
      schema: {
        tags,
        summary: 'Answers of a question, most liked or newest first',
        params: QuestionParams,
        querystring: AnswersQuery,
        response: { 200: Type.Array(AnswerView) },
      },
    },
    (request) => listAnswersOf(ctx, request.params.question, viewerId(request), request.query),
  )

  server.get(
    '/question-answers/:answer',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'An answer with its question',
        params: AnswerParams,
        response: { 200: AnswerDetail },
      },
    },
    (request) => getAnswer(ctx, request.params.answer, viewerId(request)),
  )

  for (const path of ['/questions/:question/answers', '/currency-questions/:question/answers'])
    server.post(
      path,
      {
        config: { access: 'user', before: requireQuestion },
        schema: {
          tags,
          summary: 'Answer a question',
          params: QuestionParams,
          body: NewAnswer,
          response: { 201: AnswerMade },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await requireQuestion(request)
          await requireAnonymity(ctx, request.body.anonymity)
          const { id: viewer } = viewerOf(request)
          const body = await screen(ctx, request.body, NewAnswer, SCREENED)
          return atomically(async (tx) => {
            const row = await answerQuestion(tx, request.params.question, viewer, body)
            const { id, question_id, anonymity } = row
            const author = anonymity ? {} : { user_id: viewer }
            await publishEvent(ctx, tx, 'answer.created', { id, question_id, ...author })
            const [answer] = await answerViews(ctx, [row], viewer, tx)
            return {
              status: 201,
              body: { ...say(request, 'Your answer was published.', '回答成功。'), answer: answer! },
            }
          })
        }),
    )

  server.patch(
    '/question-answers/:answer',
    {
      config: {
        access: 'user',
        async before(request) {
          const answer = await requireOwnAnswer(sql, paramOf(request, 'answer'), viewerOf(request).id)
          if (answer.adoption) throw answerAdopted()
        },
      },
      schema: {
        tags,
        summary: 'Change an answer of mine',
        params: AnswerParams,
        body: AnswerPatch,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      const { id: viewer } = viewerOf(request)
      await requireOwnAnswer(sql, request.params.answer, viewer)
      await requireAnonymity(ctx, request.body.anonymity)
      const patch = await screen(ctx, request.body, AnswerPatch, SCREENED)
      await transaction(sql, (tx) => editAnswer(tx, request.params.answer, viewer, patch))
      if (patch.anonymity) leaveRankings(ctx, viewer)
      return reply.code(201).send(say(request, 'Changed.', '修改成功。'))
    },
  )

  server.delete(
    '/question-answers/:answer',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Delete an answer of mine', params: AnswerParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      const by = { userId: viewerOf(request).id, anybodys: false }
      await transaction(sql, async (tx) => {
        const { id, question_id } = await deleteAnswer(tx, request.params.answer, by)
        await publishEvent(ctx, tx, 'answer.deleted', { id, question_id })
      })
      return reply.code(204).send()
    },
  )

  const AdoptionParams = Type.Object({ ...QuestionParams.properties, ...AnswerParams.properties })
  for (const path of [
    '/questions/:question/adoptions/:answer',
    '/questions/:question/currency-adoptions/:answer',
  ])
    server.put(
      path,
      {
        config: { access: 'user' },
        schema: {
          tags,
          summary: 'Adopt an answer to my question',
          params: AdoptionParams,
          response: { 201: Message },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const { question, answer } = request.params
          const { id: viewer } = viewerOf(request)
          await requireOwnQuestion(sql, question, viewer)
          return atomically(async (tx) => {
            await adopt(tx, question, answer, viewer)
            return { status: 201, body: say(request, 'The answer was adopted.', '采纳成功。') }
          })
        }),
    )
}
