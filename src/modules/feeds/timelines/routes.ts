import { noSuchTopic, requireVisibleTopic } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { FeedView } from '../schema.ts'
import { feedOverlay } from '../view.ts'
import {
  CollectionQuery,
  FeedList,
  FeedListQuery,
  TopicFeed,
  TopicFeedsParams,
  TopicFeedsQuery,
} from './schema.ts'
import { listCollectedFeeds, listFeeds, listFeedsOfTopic, listPinned } from './service.ts'

/** Lists of feeds (feeds-1 to feeds-6). */
export function feedTimelineRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('GET /feeds', {
    operationId: 'listFeeds',
    replica: true,
    summary: 'List feeds: the newest, the liveliest, those of followed people, or of one person',
    access: 'optional',
    kept: feedOverlay,
    query: FeedListQuery,
    reply: { 200: FeedList },
    async handler({ query, viewer }) {
      const [pinned, feeds] = await Promise.all([
        listPinned(ctx, viewer.id, query),
        listFeeds(ctx, viewer.id, query),
      ])
      return { ad: null, pinned, feeds }
    },
  })

  route('GET /feeds/collections', {
    operationId: 'listCollectedFeeds',
    summary: 'List the feeds I collected, newest collected first',
    access: 'user',
    query: CollectionQuery,
    reply: { 200: Type.Array(FeedView) },
    errors: [forbidden],
    handler: ({ query, viewer }) => listCollectedFeeds(ctx, viewer.id, query),
  })

  route('GET /feed/topics/:topicID/feeds', {
    operationId: 'listTopicFeeds',
    replica: true,
    summary: 'List the feeds of a topic',
    tag: 'Topics',
    access: 'optional',
    kept: feedOverlay,
    params: TopicFeedsParams,
    query: TopicFeedsQuery,
    reply: { 200: Type.Array(TopicFeed) },
    errors: [noSuchTopic],
    whenInvalid: ({ params, viewer }) => requireVisibleTopic(ctx, params.topicID, viewer.id),
    handler: ({ params, query, viewer }) => listFeedsOfTopic(ctx, viewer.id, params.topicID, query),
  })
}
