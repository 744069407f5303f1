import { UserView, userPage } from '#modules/users/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { Empty, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { noSuchQuestionTopic, proposedAlready, topicNameTaken } from '../errors.ts'
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
import { proposeTopic, requireTopic, topicView } from './service.ts'

const PREVIEW = 5

export function questionTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Question topics' })

  route('GET /question-topics', {
    operationId: 'listQuestionTopics',
    summary: 'List topics of questions, or search them by name',
    access: 'optional',
    query: TopicsQuery,
    reply: { 200: Type.Array(QuestionTopic) },
    handler: async ({ query, viewer }) => {
      const follow = query.follow !== undefined
      const rows = await listTopics(sql, viewer.id, query)
      return rows.map((row) => topicView(ctx, row, { follow }))
    },
  })

  route('GET /question-topics/:topic', {
    operationId: 'getQuestionTopic',
    summary: 'Read a topic with some of its experts',
    access: 'optional',
    params: TopicParams,
    reply: { 200: QuestionTopicDetail },
    errors: [noSuchQuestionTopic],
    handler: async ({ params: { topic }, viewer }) => {
      const [row, experts] = await Promise.all([
        findTopic(sql, topic, viewer.id),
        listTopicExperts(sql, topic, { limit: PREVIEW }, viewer.id),
      ])
      if (!row) throw noSuchQuestionTopic()
      return {
        ...topicView(ctx, row),
        has_follow: row.has_follow,
        experts: await userPage(ctx, experts, viewer.id),
      }
    },
  })

  route('GET /question-topics/:topic/experts', {
    operationId: 'listTopicExperts',
    summary: 'List the experts of a topic',
    access: 'optional',
    params: TopicParams,
    query: TopicExpertsQuery,
    reply: { 200: Type.Array(UserView) },
    errors: [noSuchQuestionTopic],
    load: ({ params }) => requireTopic(sql, params.topic),
    handler: async ({ params, query, viewer }) =>
      userPage(ctx, await listTopicExperts(sql, params.topic, query, viewer.id), viewer.id),
  })

  route('GET /question-experts', {
    operationId: 'listExperts',
    summary: 'List the experts of some or all topics',
    access: 'optional',
    query: ExpertsQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => userPage(ctx, await listExperts(sql, query, viewer.id), viewer.id),
  })

  route('GET /user/question-topics', {
    operationId: 'listMyQuestionTopics',
    summary: 'List topics that I follow or am an expert of',
    access: 'user',
    query: MyTopicsQuery,
    reply: { 200: Type.Array(QuestionTopic) },
    handler: async ({ query, viewer }) => {
      const rows = await listTopicsOfPerson(sql, viewer.id, query)
      return rows.map((row) => topicView(ctx, row, { follow: true }))
    },
  })

  route('PUT /user/question-topics/:topic', {
    operationId: 'followQuestionTopic',
    summary: 'Follow a topic',
    access: 'user',
    params: TopicParams,
    reply: { 201: Message },
    errors: [noSuchQuestionTopic],
    handler: async ({ params, viewer, request }) => {
      if (!(await followTopic(sql, params.topic, viewer.id))) throw noSuchQuestionTopic()
      return localizedMessage(request, 'Followed.', '已关注。')
    },
  })

  route('DELETE /user/question-topics/:topic', {
    operationId: 'unfollowQuestionTopic',
    summary: 'Stop following a topic',
    access: 'user',
    params: TopicParams,
    reply: { 204: Empty },
    errors: [noSuchQuestionTopic],
    handler: async ({ params, viewer }) => {
      if (!(await unfollowTopic(sql, params.topic, viewer.id))) throw noSuchQuestionTopic()
    },
  })

  route('POST /user/question-topics/application', {
    operationId: 'proposeQuestionTopic',
    summary: 'Propose a topic',
    access: 'user',
    body: TopicProposal,
    reply: { 201: Message },
    errors: [sensitiveWords, topicNameTaken, proposedAlready],
    handler: async ({ body, viewer, request }) => {
      const proposal = await screenWords(ctx, body, TopicProposal, ['name', 'description'])
      await proposeTopic(sql, viewer.id, proposal)
      return localizedMessage(request, 'Your proposal was submitted.', '申请已提交。')
    },
  })
}
