import type { Context } from '#platform/context.ts'
import { localizedMessage, Message, routesOn, type Server } from '#platform/http'
import { NewsCategories, NewsSubscription, unknownFollows } from '../schema.ts'
import { splitCategories, subscribe } from './service.ts'

/** Routes of news categories and subscriptions (news-1 to news-3). */
export function newsCategoryRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news/cates', {
    operationId: 'listNewsCategories',
    summary: 'List subscribed and other categories',
    access: 'optional',
    fresh: true,
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
      return localizedMessage(request, 'Subscribed.', '订阅成功。')
    },
  })
}
