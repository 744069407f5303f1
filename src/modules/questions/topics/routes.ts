import { UserView } from '#modules/accounts/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import { noSuchQuestionTopic } from '../errors.ts'
import { TopicParams } from '../schema.ts'
import {
  findTopic,
  followTopic,
  listExperts,
  listTopicExperts,
  listTopics,
  listTopicsOfPerson,
  unfollowTopic,
} from './queries.ts'
import {
  ExpertsQuery,
  MyTopicsQuery,
  QuestionTopic,
  QuestionTopicDetail,
  TopicExpertsQuery,
  TopicProposal,
  TopicsQuery,
} from './schema.ts'
import { proposeTopic, requireTopic } from './service.ts'
import { peopleInOrder, topicView } from './view.ts'

const tags = ['Question topics']
const PREVIEW = 5

export function questionTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/question-topics',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List topics of questions, or search them by name',
        querystring: TopicsQuery,
        response: { 200: Type.Array(QuestionTopic) },
      },
    },
    async (request) => {
      const follow = request.query.follow !== undefined
      const rows = await listTopics(sql, viewerId(request), request.query)
      return rows.map((row) => topicView(ctx, row, { follow }))
    },
  )

  server.get(
    '/question-topics/:topic',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'A topic with some of its experts',
        params: TopicParams,
        response: { 200: QuestionTopicDetail },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const { topic } = request.params
      const [row, experts] = await Promise.all([
        findTopic(sql, topic, viewer),
        listTopicExperts(sql, topic, { limit: PREVIEW }),
      ])
      if (!row) throw noSuchQuestionTopic()
      return {
        ...topicView(ctx, row),
        has_follow: row.has_follow,
        experts: await peopleInOrder(ctx, experts, viewer),
      }
    },
  )

  server.get(
    '/question-topics/:topic/experts',
    {
      config: {
        access: 'optional',
        before: (request) => requireTopic(sql, (request.params as { topic: number }).topic),
      },
      schema: {
        tags,
        summary: 'The experts of a topic',
        params: TopicParams,
        querystring: TopicExpertsQuery,
        response: { 200: Type.Array(UserView) },
      },
    },
    async (request) => {
      await requireTopic(sql, request.params.topic)
      const ids = await listTopicExperts(sql, request.params.topic, request.query)
      return peopleInOrder(ctx, ids, viewerId(request))
    },
  )

  server.get(
    '/question-experts',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Experts of some topics or of all',
        querystring: ExpertsQuery,
        response: { 200: Type.Array(UserView) },
      },
    },
    async (request) => peopleInOrder(ctx, await listExperts(sql, request.query), viewerId(request)),
  )

  server.get(
    '/user/question-topics',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'The topics I follow, or am an expert of',
        querystring: MyTopicsQuery,
        response: { 200: Type.Array(QuestionTopic) },
      },
    },
    async (request) => {
      const rows = await listTopicsOfPerson(sql, viewerOf(request).id, request.query)
      return rows.map((row) => topicView(ctx, row, { follow: true }))
    },
  )

  server.put(
    '/user/question-topics/:topic',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Follow a topic', params: TopicParams, response: { 201: Message } },
    },
    async (request, reply) => {
      if (!(await followTopic(sql, request.params.topic, viewerOf(request).id))) throw noSuchQuestionTopic()
      return reply.code(201).send(say(request, 'Followed.', '已关注。'))
    },
  )

  server.delete(
    '/user/question-topics/:topic',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Stop following a topic', params: TopicParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await unfollowTopic(sql, request.params.topic, viewerOf(request).id))) throw noSuchQuestionTopic()
      return reply.code(204).send()
    },
  )

  server.post(
    '/user/question-topics/application',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Propose a topic', body: TopicProposal, response: { 201: Message } },
    },
    async (request, reply) => {
      const proposal = await screen(ctx, request.body, TopicProposal, ['name', 'description'])
      await proposeTopic(sql, viewerOf(request).id, proposal)
      return reply.code(201).send(say(request, 'Your proposal was filed.', '申请成功。'))
    },
  )
}
