import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { attachmentView } from '#modules/files/index.ts'
import {
  addExpert,
  addQuestionTopic,
  changeQuestionTopic,
  decideProposal,
  deleteTopic,
  isProposal,
  NewQuestionTopic,
  noSuchQuestionTopic,
  removeExpert,
} from '#modules/questions/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { Decision } from '../schema.ts'
import { withUser } from '../view.ts'
import { findTopic, isUser, listExpertIds, listProposals, listTopics, type TopicRow } from './queries.ts'
import {
  ExpertParams,
  ExpertQuery,
  Experts,
  ProposalListing,
  ProposalParams,
  ProposalQuery,
  TopicChanges,
  TopicListing,
  TopicParams,
  TopicQuery,
  TopicRecord,
} from './schema.ts'

const tags = ['Administration']
const access = { ability: 'admin: questions' }

/** What of a topic an audit record holds. */
const summary = ({ name, description, avatar }: TopicRow) => ({
  name,
  description,
  avatar: avatar?.node ?? null,
})

/** Topics of questions, their experts, and what people propose. */
export function adminQuestionTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const get = async (id: number) => {
    const row = await findTopic(sql, id)
    if (!row) throw noSuchQuestionTopic()
    return row
  }
  const before = (request: FastifyRequest) => get((request.params as { topic: number }).topic)
  const view = (row: TopicRow) => ({
    ...row,
    avatar: attachmentView(ctx, row.avatar),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
  })

  /** Changes one topic, locked meanwhile, and keeps what it was and became. */
  const change = (
    request: FastifyRequest,
    action: string,
    work: (tx: Tx, row: TopicRow) => Promise<unknown>,
  ) =>
    transaction(sql, async (tx) => {
      const { topic } = request.params as { topic: number }
      const row = await findTopic(tx, topic, { lock: true })
      if (!row) throw noSuchQuestionTopic()
      const extra = await work(tx, row)
      const changed = await findTopic(tx, topic)
      await recordAudit(tx, request, {
        action,
        subjectType: 'question-topics',
        subjectId: topic,
        before: summary(row),
        after: changed ? { ...summary(changed), ...(extra as object | undefined) } : null,
      })
    })

  server.get(
    '/admin/question-topics',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List topics of questions',
        querystring: TopicQuery,
        response: { 200: TopicListing },
      },
    },
    async (request) => {
      const { data, total } = await listTopics(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.post(
    '/admin/question-topics',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Create a topic of questions',
        body: NewQuestionTopic,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const id = await transaction(sql, async (tx) => {
        const made = await addQuestionTopic(tx, viewerOf(request).id, request.body)
        await recordAudit(tx, request, {
          action: 'question-topics.create',
          subjectType: 'question-topics',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.get(
    '/admin/question-topics/:topic',
    {
      config: { access },
      schema: { tags, summary: 'A topic of questions', params: TopicParams, response: { 200: TopicRecord } },
    },
    async (request) => view(await get(request.params.topic)),
  )

  server.patch(
    '/admin/question-topics/:topic',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Change a topic of questions',
        params: TopicParams,
        body: TopicChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await change(request, 'question-topics.update', (tx, { id }) =>
        changeQuestionTopic(tx, id, viewerOf(request).id, request.body),
      )
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/question-topics/:topic',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a topic of questions; its questions stay',
        params: TopicParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await change(request, 'question-topics.delete', (tx, { id }) => deleteTopic(tx, id))
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/question-topics/:topic/experts',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'List the experts of a topic',
        params: TopicParams,
        querystring: ExpertQuery,
        response: { 200: Experts },
      },
    },
    async (request) => {
      await get(request.params.topic)
      const { data, total } = await listExpertIds(sql, request.params.topic, request.query)
      const ids = data.map((row) => row.user_id)
      const people = await userViews(ctx, sql, ids, viewerOf(request).id)
      return { data: ids.flatMap((id) => people.get(id) ?? []), total }
    },
  )

  server.put(
    '/admin/question-topics/:topic/experts/:user',
    {
      config: { access },
      schema: { tags, summary: 'Make a person an expert', params: ExpertParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { user } = request.params
      await change(request, 'question-topics.expert', async (tx, { id }) => {
        if (!(await isUser(tx, user))) throw notFound()
        await addExpert(tx, id, user)
        return { expert: user }
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/question-topics/:topic/experts/:user',
    {
      config: { access },
      schema: { tags, summary: 'Take a person out', params: ExpertParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { user } = request.params
      await change(request, 'question-topics.expert', async (tx, { id }) => {
        if (!(await removeExpert(tx, id, user))) throw notFound()
        return { no_expert: user }
      })
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/question-topic-applications',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List topics that people propose',
        querystring: ProposalQuery,
        response: { 200: ProposalListing },
      },
    },
    async (request) => {
      const { data, total } = await listProposals(sql, request.query)
      const rows = data.map((row) => ({
        ...row,
        decided_at: wireTimeOrNull(row.decided_at),
        created_at: wireTime(row.created_at),
      }))
      return { data: await withUser(ctx, rows, viewerOf(request).id), total }
    },
  )

  server.patch(
    '/admin/question-topic-applications/:application',
    {
      config: {
        access,
        async before(request) {
          const { application } = request.params as { application: number }
          if (!(await isProposal(sql, application))) throw notFound()
        },
      },
      schema: {
        tags,
        summary: 'Accept a proposal, which makes the topic, or reject it',
        params: ProposalParams,
        body: Decision,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { application: id } = request.params
      const { action, mark = null } = request.body
      await transaction(sql, async (tx) => {
        const { proposal, topicId } = await decideProposal(tx, id, {
          accept: action === 'accept',
          mark,
          decidedBy: viewerOf(request).id,
        })
        await recordAudit(tx, request, {
          action: 'question-topics.proposal',
          subjectType: 'question-topic-applications',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: proposal.state, name: proposal.name, topic_id: topicId, mark },
        })
      })
      return reply.code(204).send()
    },
  )
}
