import type { Readers } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty, MessageWithId } from '#platform/schema.ts'
import { FeedParams } from '../schema.ts'
import { NewFeed } from './schema.ts'
import { publishFeed, removeFeed } from './service.ts'

const tags = ['Feeds']

/** Publishing and deleting; `readers` knows what can be reposted. */
export const feedPublishingRoutes = (readers: Readers) => (server: Server, ctx: Context) => {
  server.post(
    '/feeds',
    {
      config: { access: { ability: 'feed-post' } },
      schema: { tags, summary: 'Publish a feed', body: NewFeed, response: { 201: MessageWithId } },
    },
    async (request, reply) => {
      const id = await publishFeed(ctx, viewerOf(request).id, request.body, readers)
      return reply.code(201).send({ ...say(request, 'Published.', '发布成功。'), id })
    },
  )

  // The specification's path, and the plain one that came before it (R §15.1).
  for (const path of ['/feeds/:feed/currency', '/feeds/:feed'])
    server.delete(
      path,
      {
        config: { access: 'user' },
        schema: { tags, summary: 'Delete a feed', params: FeedParams, response: { 204: Empty } },
      },
      (request, reply) =>
        once(ctx, request, reply, (atomically) =>
          atomically(async (tx) => {
            await removeFeed(ctx, tx, request.params.feed, viewerOf(request).id)
            return { status: 204 }
          }),
        ),
    )
}
