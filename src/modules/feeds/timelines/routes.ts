import { noSuchTopic, requireVisibleTopic } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { FeedView } from '../schema.ts'
import {
  CollectionQuery,
  FeedList,
  FeedListQuery,
  listCollectedFeeds,
  listFeeds,
  listFeedsOfTopic,
  TopicFeed,
  TopicFeedsParams,
  TopicFeedsQuery,
} from './service.ts'

/** Lists of feeds (feeds-1 to feeds-6). */
export function feedTimelineRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Feeds' })

  route('GET /feeds', {
    operationId: 'listFeeds',
    summary: 'List feeds: newest, hot, followed, or of one person',
    access: 'optional',
    query: FeedListQuery,
    reply: { 200: FeedList },
    handler: async ({ query, viewer }) => ({ ad: null, ...(await listFeeds(ctx, viewer.id, query)) }),
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
    summary: 'List the feeds of a topic',
    tag: 'Topics',
    access: 'optional',
    params: TopicFeedsParams,
    query: TopicFeedsQuery,
    reply: { 200: Type.Array(TopicFeed) },
    errors: [noSuchTopic],
    precheck: ({ params, viewer }) => requireVisibleTopic(ctx, params.topicID, viewer.id),
    handler: ({ params, query, viewer }) => listFeedsOfTopic(ctx, viewer.id, params.topicID, query),
  })
}
