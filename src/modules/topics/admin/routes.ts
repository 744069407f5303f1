import { zuluTime, zuluTimeOrNull } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { AttachmentView, attachmentView, fileNotUsable, type StoredNode } from '#modules/files/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { UserView, userViews } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, listingOrder, type Row, when } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  Empty,
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
  ZuluTime,
} from '#platform/http'
import { nameContains } from '../queries.ts'
import { NewTopic, nameTaken, noSuchTopic, TOPIC_STATUSES, TopicParams, type TopicStatus } from '../schema.ts'
import { addTopic, changeTopic, topicRemoval } from '../service.ts'
import { readTopicSettings } from '../settings.ts'

export const TopicRecord = Shared('TopicRecord', {
  id: Type.Integer(),
  name: Type.String(),
  desc: Type.String(),
  logo: Nullable(AttachmentView),
  creator_user_id: Type.Integer(),
  creator: Nullable(UserView),
  status: OneOf(TOPIC_STATUSES),
  hot_at: Nullable(ZuluTime),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  created_at: ZuluTime,
  updated_at: ZuluTime,
})
export type TopicRecord = Static<typeof TopicRecord>

const TopicQuery = Type.Object({
  ...listingQuery(['id', 'feeds_count', 'followers_count']),
  id: Type.Optional(Id),
  name: Type.Optional(Text(100)),
  hot: Type.Optional(Flag()),
  status: Type.Optional(OneOf(TOPIC_STATUSES)),
})
type TopicQuery = Static<typeof TopicQuery>

const HotBody = Shared('TopicHot', { hot: Flag() })

const ReviewBody = Shared('TopicReview', { status: OneOf(['passed', 'failed']) })

export type TopicRecordRow = Row<
  'feed_topics',
  'id' | 'name' | 'desc' | 'creator_user_id' | 'hot_at' | 'created_at' | 'updated_at'
> &
  Row<'feed_topic_counts', 'feeds_count' | 'followers_count'> & {
    logo: StoredNode | null
    status: TopicStatus
  }

const columns = (sql: Db) => sql`
  t.id, t.name, t."desc", t.logo, t.creator_user_id, t.status, t.hot_at, t.created_at, t.updated_at,
  c.feeds_count, c.followers_count`

function listTopicRecords(sql: Db, query: TopicQuery) {
  const { sort = 'id', id, name, q, hot, status } = query
  const where = sql`where true
    ${ifGiven(sql, id, (value) => sql`and t.id = ${value}`)}
    ${ifGiven(sql, status, (value) => sql`and t.status = ${value}`)}
    ${ifGiven(sql, hot, (value) => sql`and (t.hot_at is not null) = ${value}`)}
    ${nameContains(sql, name)} ${nameContains(sql, q)}`
  const tables = sql`feed_topics t join feed_topic_counts c on c.topic_id = t.id`
  const list =
    sort === 'id'
      ? { id: sql`t.id`, from: sql`feed_topics t` }
      : { id: sql`t.id`, by: sql`c.${sql(sort)}`, from: tables }
  return pageOf<TopicRecordRow>(
    sql,
    // The subquery sorts ids only, because sorting whole topics costs more.
    sql`select ${columns(sql)} from ${tables}
      where t.id = any(array(select t.id from ${list.from} ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from feed_topics t ${where}`,
  )
}

async function findTopicRecord(
  sql: Db,
  id: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<TopicRecordRow | undefined> {
  const [row] = await sql<TopicRecordRow[]>`
    select ${columns(sql)} from feed_topics t join feed_topic_counts c on c.topic_id = t.id
    where t.id = ${id} ${when(sql, lock, () => sql`for update of t`)}`
  return row
}

/** Keeps the existing `hot_at` of a topic that is already hot. */
const setHot = (sql: Db, id: number, hot: boolean) => sql`
  update feed_topics set hot_at = ${hot ? sql`coalesce(hot_at, now())` : sql`null`}, updated_at = now()
  where id = ${id}`

const setStatus = (sql: Db, id: number, status: TopicStatus) => sql`
  update feed_topics set status = ${status}, updated_at = now() where id = ${id}`

async function topicRecords(ctx: Context, rows: TopicRecordRow[], viewerId: number): Promise<TopicRecord[]> {
  const creators = rows.map((row) => row.creator_user_id)
  const people = await userViews(ctx, ctx.sql, creators, viewerId)
  return rows.map((row) => ({
    ...row,
    logo: attachmentView(ctx, row.logo),
    creator: people.get(row.creator_user_id) ?? null,
    hot_at: zuluTimeOrNull(row.hot_at),
    created_at: zuluTime(row.created_at),
    updated_at: zuluTime(row.updated_at),
  }))
}

const reviewedAlready = apiError(
  422,
  'topic_reviewed_already',
  'The topic is already in this state.',
  '话题已处于该状态。',
)

export function adminTopicRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: topics' })
  const ability = 'admin: feed topics'

  const { change, get } = mountAdminRecords(server, ctx, {
    path: '/admin/feed-topics',
    tag: 'Admin: topics',
    ability,
    subject: 'feed-topics',
    action: 'topics',
    entity: 'Topic',
    noun: 'a topic of any status',
    nouns: 'topics of any status',
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
    summary: 'Mark a topic as hot, or remove the mark',
    access: { ability },
    params: TopicParams,
    body: HotBody,
    reply: { 204: Empty },
    errors: [noSuchTopic],
    precheck: ({ params }) => get(params.topicID),
    handler: (call) =>
      change(call, call.params.topicID, 'hot', (tx, { id }) => setHot(tx, id, call.body.hot)),
  })

  route('PUT /admin/feed-topics/:topicID/review', {
    operationId: 'adminReviewTopic',
    summary: 'Approve or reject a topic; its creator is notified',
    access: { ability },
    params: TopicParams,
    body: ReviewBody,
    reply: { 204: Empty },
    errors: [noSuchTopic, reviewedAlready],
    precheck: ({ params }) => get(params.topicID),
    handler: async (call) => {
      const { status } = call.body
      const underReview = (await readTopicSettings(ctx))['feed:topic:need-review']
      await change(call, call.params.topicID, 'review', async (tx, row) => {
        if (row.status === status) throw reviewedAlready()
        await setStatus(tx, row.id, status)
        // Notifies creators of waiting topics even after review is switched off.
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
