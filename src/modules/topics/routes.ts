import { addReport } from '#modules/reports/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Created, Empty, Type } from '#platform/schema.ts'
import { followTopic, listParticipants, unfollowTopic } from './queries/people.ts'
import { findTopic, listHotTopics, listTopics } from './queries/topics.ts'
import {
  NewTopic,
  ParticipantsQuery,
  TopicDetail,
  TopicItem,
  TopicListQuery,
  TopicParams,
  TopicPatch,
  TopicReport,
} from './schema.ts'
import { createTopic, editTopic } from './service/topics.ts'
import { look, requireEditableTopic, requireVisibleTopic } from './service/visibility.ts'
import { topicDetail, topicItem } from './view.ts'

const tags = ['Topics']
const idOf = (params: unknown) => (params as { topicID: number }).topicID

export function topicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/feed/topics',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List topics, search them by name, or list the hot ones',
        querystring: TopicListQuery,
        response: { 200: Type.Array(TopicItem) },
      },
    },
    async ({ query }) => {
      const rows = await (query.only === 'hot' ? listHotTopics(sql) : listTopics(sql, query))
      return rows.map((row) => topicItem(ctx, row))
    },
  )

  server.post(
    '/feed/topics',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Create a topic and follow it', body: NewTopic, response: { 201: Created } },
    },
    async (request, reply) =>
      reply.code(201).send({ id: await createTopic(ctx, viewerOf(request).id, request.body) }),
  )

  server.get(
    '/feed/topics/:topicID',
    {
      config: { access: 'optional' },
      schema: { tags, summary: 'Read a topic', params: TopicParams, response: { 200: TopicDetail } },
    },
    async (request) => {
      const viewer = viewerId(request)
      const row = await look(ctx, viewer, (eyes) => findTopic(sql, request.params.topicID, eyes))
      return topicDetail(ctx, row, viewer)
    },
  )

  server.patch(
    '/feed/topics/:topicID',
    {
      config: {
        access: 'user',
        before: (request) => requireEditableTopic(ctx, idOf(request.params), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Change the description or the logo of a topic; null clears them',
        params: TopicParams,
        body: TopicPatch,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await editTopic(ctx, request.params.topicID, viewerOf(request).id, request.body)
      return reply.code(204).send()
    },
  )

  server.get(
    '/feed/topics/:topicID/participants',
    {
      config: {
        access: 'optional',
        before: (request) => requireVisibleTopic(ctx, idOf(request.params), viewerId(request)),
      },
      schema: {
        tags,
        summary: 'List who posted into a topic, the last first',
        params: TopicParams,
        querystring: ParticipantsQuery,
        response: { 200: Type.Array(Type.Integer()) },
      },
    },
    (request) =>
      look(ctx, viewerId(request), (eyes) =>
        listParticipants(sql, request.params.topicID, eyes, request.query),
      ),
  )

  server.put(
    '/user/feed-topics/:topicID',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Follow a topic', params: TopicParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      await look(ctx, viewerOf(request).id, (eyes) => followTopic(sql, request.params.topicID, eyes))
      return reply.code(204).send()
    },
  )

  server.delete(
    '/user/feed-topics/:topicID',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Stop following a topic', params: TopicParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      await look(ctx, viewerOf(request).id, (eyes) => unfollowTopic(sql, request.params.topicID, eyes))
      return reply.code(204).send()
    },
  )

  server.put(
    '/user/report-feed-topics/:topicID',
    {
      config: {
        access: 'user',
        before: (request) => requireVisibleTopic(ctx, idOf(request.params), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Report a topic to the moderators',
        params: TopicParams,
        body: TopicReport,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const userId = viewerOf(request).id
      const topic = await requireVisibleTopic(ctx, request.params.topicID, userId)
      await addReport(sql, {
        type: 'feed-topics',
        id: topic.id,
        userId,
        targetUser: topic.creator_user_id,
        subject: `#${topic.id} ${topic.name}`,
        reason: request.body.message,
      })
      return reply.code(204).send()
    },
  )
}
