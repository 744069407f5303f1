import type { FastifyRequest } from 'fastify'
import { zuluTime, zuluTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { attachmentView } from '#modules/files/index.ts'
import { notify, publishEvent, takeBack } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { addTopic, changeTopic, NewTopic, noSuchTopic } from '#modules/topics/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import {
  deleteTopic,
  findTopicRecord,
  listTopicRecords,
  setHot,
  setStatus,
  type TopicRow,
} from './queries.ts'
import { HotBody, ReviewBody, TopicChanges, TopicListing, TopicQuery, TopicRecord } from './schema.ts'

const reviewedAlready = apiError(
  422,
  'topic_reviewed_already',
  'The topic is in this state already.',
  '话题已处于该状态。',
)

/** What of a topic an audit record holds. */
const summary = ({ name, desc, logo, status, hot_at }: TopicRow) => ({
  name,
  desc,
  logo: logo?.node ?? null,
  status,
  hot: hot_at !== null,
})

export function adminTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const params = Type.Object({ topic: Id })
  const access = { ability: 'admin: feed topics' }

  const get = async (id: number) => {
    const row = await findTopicRecord(sql, id)
    if (!row) throw noSuchTopic()
    return row
  }
  const before = (request: FastifyRequest) => get((request.params as { topic: number }).topic)

  const views = async (rows: TopicRow[], viewer: number) => {
    const people = await userViews(
      ctx,
      sql,
      rows.map((row) => row.creator_user_id),
      viewer,
    )
    return rows.map((row) => ({
      ...row,
      logo: attachmentView(ctx, row.logo),
      creator: people.get(row.creator_user_id) ?? null,
      hot_at: zuluTimeOrNull(row.hot_at),
      created_at: zuluTime(row.created_at),
      updated_at: zuluTime(row.updated_at),
    }))
  }

  /** Changes one topic, locked meanwhile, and keeps what it was and became. */
  const change = (
    request: FastifyRequest,
    action: string,
    work: (tx: Tx, row: TopicRow) => Promise<unknown>,
  ) =>
    transaction(sql, async (tx) => {
      const { topic } = request.params as { topic: number }
      const row = await findTopicRecord(tx, topic, { lock: true })
      if (!row) throw noSuchTopic()
      await work(tx, row)
      const changed = await findTopicRecord(tx, topic)
      await recordAudit(tx, request, {
        action,
        subjectType: 'feed-topics',
        subjectId: topic,
        before: summary(row),
        after: changed ? summary(changed) : null,
      })
    })

  server.get(
    '/admin/feed-topics',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List topics of every status',
        querystring: TopicQuery,
        response: { 200: TopicListing },
      },
    },
    async (request) => {
      const { data, total } = await listTopicRecords(sql, request.query)
      return { data: await views(data, viewerId(request)), total }
    },
  )

  server.get(
    '/admin/feed-topics/:topic',
    { config: { access }, schema: { tags, summary: 'Read a topic', params, response: { 200: TopicRecord } } },
    async (request) => {
      const [view] = await views([await get(request.params.topic)], viewerId(request))
      return view as NonNullable<typeof view>
    },
  )

  server.post(
    '/admin/feed-topics',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Create a topic that needs no review',
        body: NewTopic,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const id = await transaction(sql, async (tx) => {
        const creatorId = viewerOf(request).id
        const made = await addTopic(tx, { creatorId, status: 'passed', topic: request.body })
        await publishEvent(ctx, tx, 'topic.created', { id: made, user_id: creatorId, status: 'passed' })
        await recordAudit(tx, request, {
          action: 'topics.create',
          subjectType: 'feed-topics',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/feed-topics/:topic',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Change the name, description or logo of a topic',
        params,
        body: TopicChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await change(request, 'topics.update', (tx, { id }) =>
        changeTopic(tx, id, viewerOf(request).id, request.body),
      )
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/feed-topics/:topic',
    {
      config: { access },
      schema: { tags, summary: 'Delete a topic; its feeds stay', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      await change(request, 'topics.delete', async (tx, { id }) => {
        await deleteTopic(tx, id)
        await takeBack(tx, { cause: { type: 'feed-topics', id } })
        await publishEvent(ctx, tx, 'topic.deleted', { id, deleted_by: viewerOf(request).id })
      })
      return reply.code(204).send()
    },
  )

  server.put(
    '/admin/feed-topics/:topic/hot',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Choose a topic as hot, or take that back',
        params,
        body: HotBody,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await change(request, 'topics.hot', (tx, { id }) => setHot(tx, id, request.body.hot))
      return reply.code(204).send()
    },
  )

  server.put(
    '/admin/feed-topics/:topic/review',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Let a topic pass or fail; its creator is told',
        params,
        body: ReviewBody,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { status } = request.body
      const underReview = (await readSettings(ctx))['feed:topic:need-review']
      await change(request, 'topics.review', async (tx, row) => {
        if (row.status === status) throw reviewedAlready()
        await setStatus(tx, row.id, status)
        // Whoever waited is told, even if the switch has been turned off since.
        if (!underReview && row.status !== 'waiting') return
        await notify(tx, {
          type: 'system',
          recipients: [row.creator_user_id],
          senderId: 0,
          cause: { type: 'feed-topics', id: row.id },
          data: {
            type: `feed:topic:create:${status}`,
            resource: { type: 'feed-topics', id: row.id },
            topic: { id: row.id, name: row.name },
          },
        })
      })
      return reply.code(204).send()
    },
  )
}
