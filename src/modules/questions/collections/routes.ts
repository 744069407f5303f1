import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { CollectionQuery, CollectionRecord } from './schema.ts'
import { listCollection } from './service.ts'

export function answerCollectionRoutes(server: Server, ctx: Context) {
  server.get(
    '/user/question-answer/collections',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Answers'],
        summary: 'The answers I collected, newest collected first',
        querystring: CollectionQuery,
        response: { 200: Type.Array(CollectionRecord) },
      },
    },
    (request) => listCollection(ctx, viewerOf(request).id, request.query),
  )
}
