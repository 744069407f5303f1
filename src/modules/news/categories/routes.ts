import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { unknownFollows } from '../errors.ts'
import { NewsCategories, NewsSubscription } from '../schema.ts'
import { splitCategories, subscribe } from './service.ts'

/** Categories of news, and subscribing to them (news-1 to news-3). */
export function newsCategoryRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news/cates', {
    operationId: 'listNewsCategories',
    summary: 'Categories I subscribe to, and all others',
    access: 'optional',
    reply: { 200: NewsCategories },
    handler: ({ viewer }) => splitCategories(ctx, viewer.id),
  })

  route('PATCH /news/categories/follows', {
    operationId: 'subscribeToNewsCategories',
    summary: 'Subscribe to exactly these categories',
    access: 'user',
    body: NewsSubscription,
    reply: { 201: Message },
    errors: [unknownFollows],
    handler: async ({ viewer, body, request }) => {
      await subscribe(ctx, viewer.id, body.follows)
      return say(request, 'Subscribed.', '订阅成功。')
    },
  })
}
