import { requireVisibleTopic } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { FeedParams, FeedView } from '../schema.ts'
import {
  CollectionQuery,
  FeedDetail,
  FeedList,
  FeedListQuery,
  TopicFeed,
  TopicFeedsParams,
  TopicFeedsQuery,
} from './schema.ts'
import { getFeed, listCollectedFeeds, listFeeds, listFeedsOfTopic, listPinned } from './service.ts'

export function feedListRoutes(server: Server, ctx: Context) {
  server.get(
    '/feeds',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Feeds'],
        summary: 'List feeds: the newest, the liveliest, those of followed people, or of one person',
        querystring: FeedListQuery,
        response: { 200: FeedList },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const [pinned, feeds] = await Promise.all([
        listPinned(ctx, viewer, request.query),
        listFeeds(ctx, viewer, request.query),
      ])
      return { ad: null, pinned, feeds }
    },
  )

  server.get(
    '/feeds/:feed',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Feeds'],
        summary: 'A feed with who liked it last',
        params: FeedParams,
        response: { 200: FeedDetail },
      },
    },
    (request) => getFeed(ctx, viewerId(request), request.params.feed),
  )

  server.get(
    '/feeds/collections',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Feeds'],
        summary: 'The feeds I collected, newest collected first',
        querystring: CollectionQuery,
        response: { 200: Type.Array(FeedView) },
      },
    },
    (request) => listCollectedFeeds(ctx, viewerOf(request).id, request.query),
  )

  server.get(
    '/feed/topics/:topicID/feeds',
    {
      config: {
        access: 'optional',
        before: (request) =>
          requireVisibleTopic(ctx, (request.params as { topicID: number }).topicID, viewerId(request)),
      },
      schema: {
        tags: ['Topics'],
        summary: 'List the feeds of a topic',
        params: TopicFeedsParams,
        querystring: TopicFeedsQuery,
        response: { 200: Type.Array(TopicFeed) },
      },
    },
    (request) => listFeedsOfTopic(ctx, viewerId(request), request.params.topicID, request.query),
  )
}
