import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchQuestion } from '../errors.ts'
import { ListQuery, QuestionItem, QuestionParams } from '../schema.ts'
import { questionItems } from '../view.ts'
import { listWatched, unwatchQuestion, watchQuestion } from './queries.ts'

const tags = ['Questions']

export function watchRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/user/question-watches',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'The questions I watch, last watched first',
        querystring: ListQuery,
        response: { 200: Type.Array(QuestionItem) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      return questionItems(ctx, await listWatched(sql, viewer, request.query), viewer)
    },
  )

  server.put(
    '/user/question-watches/:question',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Watch a question', params: QuestionParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await watchQuestion(sql, request.params.question, viewerOf(request).id))) throw noSuchQuestion()
      return reply.code(204).send()
    },
  )

  server.delete(
    '/user/question-watches/:question',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Stop watching a question', params: QuestionParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await unwatchQuestion(sql, request.params.question, viewerOf(request).id))) throw noSuchQuestion()
      return reply.code(204).send()
    },
  )
}
