import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { CollectionQuery, CollectionRecord } from './schema.ts'
import { listCollection } from './service.ts'

/** The answers that somebody collected (questions-20). */
export function answerCollectionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Answers' })

  route('GET /user/question-answer/collections', {
    operationId: 'listCollectedAnswers',
    summary: 'The answers I collected, newest collected first',
    access: 'user',
    kept: 'each',
    query: CollectionQuery,
    reply: { 200: Type.Array(CollectionRecord) },
    handler: ({ viewer, query }) => listCollection(ctx, viewer.id, query),
  })
}
