import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { noSuchQuestion } from '../errors.ts'
import { ListQuery, QuestionItem, QuestionParams } from '../schema.ts'
import { questionItems } from '../view.ts'
import { listWatched, unwatchQuestion, watchQuestion } from './queries.ts'

/** Routes for watching questions (questions-17). */
export function watchRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /user/question-watches', {
    operationId: 'listWatchedQuestions',
    summary: 'List questions I watch, latest watched first',
    access: 'user',
    query: ListQuery,
    reply: { 200: Type.Array(QuestionItem) },
    handler: async ({ query, viewer }) =>
      questionItems(ctx, await listWatched(sql, viewer.id, query), viewer.id),
  })

  route('PUT /user/question-watches/:question', {
    operationId: 'watchQuestion',
    summary: 'Watch a question',
    access: 'user',
    params: QuestionParams,
    reply: { 204: Empty },
    errors: [noSuchQuestion],
    handler: async ({ params, viewer }) => {
      if (!(await watchQuestion(sql, params.question, viewer.id))) throw noSuchQuestion()
    },
  })

  route('DELETE /user/question-watches/:question', {
    operationId: 'unwatchQuestion',
    summary: 'Stop watching a question',
    access: 'user',
    params: QuestionParams,
    reply: { 204: Empty },
    errors: [noSuchQuestion],
    handler: async ({ params, viewer }) => {
      if (!(await unwatchQuestion(sql, params.question, viewer.id))) throw noSuchQuestion()
    },
  })
}
