import { type ContentKind, readersOf } from '#contracts/content.ts'
import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { findShownPinsOf } from '#modules/pinning/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import { noSuchTopic, requireVisibleTopic } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden, unauthenticated } from '#platform/errors.ts'
import {
  addTextSource,
  Empty,
  localizedMessage,
  MessageWithId,
  routesOn,
  type Server,
  Type,
} from '#platform/http'
import { commentRules, countLikes, feedContent } from './content.ts'
import { requirePaidComment, unpaidComment } from './prices.ts'
import { PUBLISHING_ERRORS, publishFeed } from './publishing.ts'
import { FEED_COMMENT } from './queries.ts'
import { FeedDetail, FeedParams, FeedView, newFeedOf, noSuchFeed, notYourFeed, unpaidFeed } from './schema.ts'
import { findTopicReferences, getFeed, removeFeed } from './service.ts'
import { readFeedSettings } from './settings.ts'
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
} from './timelines/service.ts'

export const feedRoutes = (kinds: readonly ContentKind[]) => (server: Server, ctx: Context) => {
  const readers = readersOf(kinds)
  const repostable = kinds.filter((kind) => kind.repostable).map(({ type }) => type)
  const route = routesOn(server, ctx, { tag: 'Feeds' })
  addTextSource(ctx, 'topics', findTopicReferences)

  route('GET /feeds', {
    operationId: 'listFeeds',
    summary: 'List feeds: newest, hot, followed, or of one person',
    access: 'optional',
    query: FeedListQuery,
    reply: { 200: FeedList },
    errors: [unauthenticated],
    handler: async ({ query, viewer }) => ({ ad: null, ...(await listFeeds(ctx, viewer.id, query)) }),
  })

  route('POST /feeds', {
    operationId: 'createFeed',
    summary: 'Publish a feed',
    access: { ability: 'feed-post' },
    body: newFeedOf(repostable),
    reply: { 201: MessageWithId },
    errors: PUBLISHING_ERRORS,
    async handler({ request, viewer, body }) {
      const id = await publishFeed(ctx, viewer.id, body, readers)
      return { ...localizedMessage(request, 'Published.', '发布成功。'), id }
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

  route('GET /feeds/:feed', {
    operationId: 'getFeed',
    summary: 'Read a feed with its latest likes',
    access: 'optional',
    params: FeedParams,
    reply: { 200: FeedDetail },
    errors: [noSuchFeed, unpaidFeed],
    handler: ({ params, viewer }) => getFeed(ctx, viewer.id, params.feed),
  })

  route('DELETE /feeds/:feed/currency', {
    operationId: 'deleteFeed',
    summary: 'Delete a feed',
    access: 'user',
    params: FeedParams,
    reply: { 204: Empty },
    errors: [noSuchFeed, notYourFeed],
    aliases: { deleteFeedPlainly: '/feeds/:feed' },
    idempotent: true,
    handler: ({ params, viewer, atomically }) =>
      atomically((tx) => removeFeed(ctx, tx, params.feed, viewer.id)),
  })

  mountComments(server, ctx, feedContent, {
    ...commentRules,
    path: '/feeds/:feed/comments',
    shape: 'pinned',
    single: true,
    mayWrite: (target, viewerId) => requirePaidComment(ctx, target, viewerId),
    errors: [unpaidComment],
    pinned: (sql, id) => findShownPinsOf(sql, FEED_COMMENT, id),
  })
  mountLikes(server, ctx, feedContent, {
    create: '/feeds/:feed/like',
    remove: '/feeds/:feed/unlike',
    list: '/feeds/:feed/likes',
    count: countLikes,
  })
  mountCollections(server, ctx, feedContent, {
    create: '/feeds/:feed/collections',
    remove: '/feeds/:feed/uncollect',
    twice: 422,
  })
  mountRewards(server, ctx, feedContent, {
    create: '/feeds/:feed/new-rewards',
    list: '/feeds/:feed/rewards',
    notice: 'reward:feeds',
    areOn: async () => (await readFeedSettings(ctx))['feed:reward'],
  })
  mountReports(server, ctx, feedContent, { path: '/feeds/:feed/reports' })
}
