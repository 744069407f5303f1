import type { Context } from '#platform/context.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { Categories, FollowsBody } from '../schema.ts'
import { splitCategories, subscribe } from './service.ts'

const tags = ['News']

export function newsCategoryRoutes(server: Server, ctx: Context) {
  server.get(
    '/news/cates',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Categories I subscribe to, and all others',
        response: { 200: Categories },
      },
    },
    (request) => splitCategories(ctx, viewerId(request)),
  )

  server.patch(
    '/news/categories/follows',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Subscribe to exactly these categories',
        body: FollowsBody,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await subscribe(ctx, viewerOf(request).id, request.body.follows)
      return reply.code(201).send(say(request, 'Subscribed.', '订阅成功。'))
    },
  )
}
