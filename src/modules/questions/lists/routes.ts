import type { Context } from '#platform/context.ts'
import { type Server, viewerId } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { QuestionItem, QuestionParams, TopicParams } from '../schema.ts'
import { requireTopic } from '../topics/service.ts'
import { questionItems } from '../view.ts'
import { listQuestions } from './queries.ts'
import {
  QuestionDetail,
  QuestionsQuery,
  RepostedQuery,
  UserAnswer,
  UserAnswersQuery,
  UserQuestionsQuery,
} from './schema.ts'
import {
  getQuestion,
  listRepostedAnswers,
  listRepostedQuestions,
  listUserAnswers,
  listUserQuestions,
} from './service.ts'

const tags = ['Questions']

export function questionListRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/questions',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List questions: unanswered, all, hot, with a bounty, excellent, or watched by me',
        querystring: QuestionsQuery,
        response: { 200: Type.Array(QuestionItem) },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      return questionItems(ctx, await listQuestions(sql, viewer, request.query), viewer)
    },
  )

  server.get(
    '/question-topics/:topic/questions',
    {
      config: {
        access: 'optional',
        before: (request) => requireTopic(sql, (request.params as { topic: number }).topic),
      },
      schema: {
        tags,
        summary: 'List the questions of a topic',
        params: TopicParams,
        querystring: QuestionsQuery,
        response: { 200: Type.Array(QuestionItem) },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const { topic } = request.params
      await requireTopic(sql, topic)
      return questionItems(ctx, await listQuestions(sql, viewer, request.query, topic), viewer)
    },
  )

  server.get(
    '/questions/:question',
    {
      config: { access: 'optional' },
      schema: { tags, summary: 'A question', params: QuestionParams, response: { 200: QuestionDetail } },
    },
    (request) => getQuestion(ctx, request.params.question, viewerId(request)),
  )

  server.get(
    '/user/questions',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'The questions of a person; mine unless another is named',
        querystring: UserQuestionsQuery,
        response: { 200: Type.Array(QuestionItem) },
      },
    },
    (request) => listUserQuestions(ctx, viewerId(request), request.query),
  )

  server.get(
    '/user/question-answer',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Answers'],
        summary: 'The answers of a person; mine unless another is named',
        querystring: UserAnswersQuery,
        response: { 200: Type.Array(UserAnswer) },
      },
    },
    (request) => listUserAnswers(ctx, viewerId(request), request.query),
  )

  server.get(
    '/qa/reposted-questions',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Questions that reposts point to',
        querystring: RepostedQuery,
        response: { 200: Type.Array(QuestionItem) },
      },
    },
    (request) => listRepostedQuestions(ctx, request.query.id ?? [], viewerId(request)),
  )

  server.get(
    '/qa/reposted-answers',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Answers'],
        summary: 'Answers that reposts point to',
        querystring: RepostedQuery,
        response: { 200: Type.Array(UserAnswer) },
      },
    },
    (request) => listRepostedAnswers(ctx, request.query.id ?? [], viewerId(request)),
  )
}
