import { mountAdminCrud } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { notify, publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { nameTaken, noSuchTopic } from '../errors.ts'
import { NewTopic, TopicParams } from '../schema.ts'
import { addTopic, changeTopic, topicRemoval } from '../service.ts'
import { findTopicRecord, listTopicRecords, setHot, setStatus } from './queries.ts'
import { HotBody, ReviewBody, TopicQuery, TopicRecord } from './schema.ts'
import { topicRecords } from './view.ts'

const reviewedAlready = apiError(
  422,
  'topic_reviewed_already',
  'The topic is in this state already.',
  '话题已处于该状态。',
)

/** Topics of every status: making, changing, choosing and reviewing them (topics-11 to topics-13). */
export function adminTopicRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: topics' })
  const ability = 'admin: feed topics'

  const { change, get } = mountAdminCrud(server, ctx, {
    path: '/admin/feed-topics',
    tag: 'Admin: topics',
    ability,
    subject: 'feed-topics',
    action: 'topics',
    entity: 'Topic',
    noun: 'a topic of any status',
    param: 'topicID',
    item: TopicRecord,
    query: TopicQuery,
    body: NewTopic,
    missing: noSuchTopic,
    errors: [nameTaken, fileNotUsable],
    list: listTopicRecords,
    find: findTopicRecord,
    view: (rows, viewerId) => topicRecords(ctx, rows, viewerId),
    async create(tx, creatorId, topic) {
      const id = await addTopic(tx, { creatorId, status: 'passed', topic })
      await publishEvent(ctx, tx, 'topic.created', { id, user_id: creatorId, status: 'passed' })
      return id
    },
    change: (tx, userId, { id }, changes) => changeTopic(tx, id, userId, changes),
    remove: (tx, { id }, userId) => topicRemoval.remove(ctx, tx, id, userId),
    summary: ({ name, desc, logo, status, hot_at }) => ({
      name,
      desc,
      logo: logo?.node ?? null,
      status,
      hot: hot_at !== null,
    }),
  })

  route('PUT /admin/feed-topics/:topicID/hot', {
    operationId: 'adminSetTopicHot',
    summary: 'Choose a topic as hot, or take that back',
    access: { ability },
    params: TopicParams,
    body: HotBody,
    reply: { 204: Empty },
    errors: [noSuchTopic],
    whenInvalid: ({ params }) => get(params.topicID),
    handler: (call) =>
      change(call, call.params.topicID, 'hot', (tx, { id }) => setHot(tx, id, call.body.hot)),
  })

  route('PUT /admin/feed-topics/:topicID/review', {
    operationId: 'adminReviewTopic',
    summary: 'Let a topic pass or fail; its creator is told',
    access: { ability },
    params: TopicParams,
    body: ReviewBody,
    reply: { 204: Empty },
    errors: [noSuchTopic, reviewedAlready],
    whenInvalid: ({ params }) => get(params.topicID),
    handler: async (call) => {
      const { status } = call.body
      const underReview = (await readSettings(ctx))['feed:topic:need-review']
      await change(call, call.params.topicID, 'review', async (tx, row) => {
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
    },
  })
}
