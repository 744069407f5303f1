import { fileNotUsable } from '#modules/files/index.ts'
import { addReport } from '#modules/reports/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { findTopic, listHotTopics, listParticipants, listTopics, unfollowTopic } from './queries.ts'
import {
  NewTopic,
  nameTaken,
  noSuchTopic,
  ParticipantsQuery,
  TopicDetail,
  TopicItem,
  TopicListQuery,
  TopicMade,
  TopicParams,
  TopicPatch,
  TopicReport,
} from './schema.ts'
import {
  createTopic,
  editTopic,
  findForViewerOrReviewer,
  followTopic,
  requireEditableTopic,
  requireVisibleTopic,
  topicDetail,
  topicItems,
} from './service.ts'

export function topicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Topics' })

  route('GET /feed/topics', {
    operationId: 'listTopics',
    summary: 'List topics, search them by name, or list the hot ones',
    access: 'optional',
    query: TopicListQuery,
    reply: { 200: Type.Array(TopicItem) },
    handler: async ({ query, viewer }) => {
      const rows = await (query.only === 'hot'
        ? listHotTopics(sql, viewer.id)
        : listTopics(sql, viewer.id, query))
      return topicItems(ctx, rows, viewer)
    },
  })

  route('POST /feed/topics', {
    operationId: 'createTopic',
    summary: 'Create a topic and follow it',
    access: 'user',
    body: NewTopic,
    reply: { 201: TopicMade },
    errors: [nameTaken, sensitiveWords, fileNotUsable],
    handler: ({ viewer, body }) => createTopic(ctx, viewer.id, body),
  })

  route('GET /feed/topics/:topicID', {
    operationId: 'getTopic',
    summary: 'Read a topic',
    access: 'optional',
    params: TopicParams,
    reply: { 200: TopicDetail },
    errors: [noSuchTopic],
    handler: async ({ params, viewer }) => {
      const row = await findForViewerOrReviewer(ctx, viewer.id, (reader) =>
        findTopic(sql, params.topicID, reader),
      )
      return topicDetail(ctx, row, viewer)
    },
  })

  route('PATCH /feed/topics/:topicID', {
    operationId: 'updateTopic',
    summary: 'Change the description or the logo of a topic; null clears them',
    access: 'user',
    params: TopicParams,
    body: TopicPatch,
    reply: { 204: Empty },
    errors: [noSuchTopic, forbidden, sensitiveWords, fileNotUsable],
    load: ({ params, viewer }) => requireEditableTopic(ctx, params.topicID, viewer.id),
    handler: ({ loaded: topic, viewer, body }) => editTopic(ctx, topic.id, viewer.id, body),
  })

  route('GET /feed/topics/:topicID/participants', {
    operationId: 'listTopicParticipants',
    summary: 'List participants of a topic, latest first',
    access: 'optional',
    params: TopicParams,
    query: ParticipantsQuery,
    reply: { 200: Type.Array(Type.Integer()) },
    returns: 'Ids of users.',
    errors: [noSuchTopic],
    precheck: ({ params, viewer }) => requireVisibleTopic(ctx, params.topicID, viewer.id),
    handler: ({ params, query, viewer }) =>
      findForViewerOrReviewer(ctx, viewer.id, (reader) =>
        listParticipants(sql, params.topicID, reader, query),
      ),
  })

  route('PUT /user/feed-topics/:topicID', {
    operationId: 'followTopic',
    summary: 'Follow a topic',
    access: 'user',
    params: TopicParams,
    reply: { 204: Empty },
    errors: [noSuchTopic],
    handler: async ({ params, viewer }) => {
      await followTopic(ctx, params.topicID, viewer.id)
    },
  })

  route('DELETE /user/feed-topics/:topicID', {
    operationId: 'unfollowTopic',
    summary: 'Stop following a topic',
    access: 'user',
    params: TopicParams,
    reply: { 204: Empty },
    errors: [noSuchTopic],
    handler: async ({ params, viewer }) => {
      await findForViewerOrReviewer(ctx, viewer.id, (reader) => unfollowTopic(sql, params.topicID, reader))
    },
  })

  route('PUT /user/report-feed-topics/:topicID', {
    operationId: 'reportTopic',
    summary: 'Report a topic to the moderators',
    access: 'user',
    params: TopicParams,
    body: TopicReport,
    reply: { 204: Empty },
    errors: [noSuchTopic],
    load: ({ params, viewer }) => requireVisibleTopic(ctx, params.topicID, viewer.id),
    handler: ({ loaded: topic, viewer, body }) =>
      addReport(sql, {
        type: 'feed-topics',
        id: topic.id,
        userId: viewer.id,
        targetUser: topic.creator_user_id,
        subject: `#${topic.id} ${topic.name}`,
        reason: body.message,
      }),
  })
}
