import { escapeLike, nameKey } from '#lib/text.ts'
import { wireTime, wireTimeOrNull, withWireTimes } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import { AttachmentView, attachmentView, fileNotUsable, type StoredNode } from '#modules/files/index.ts'
import { isUser, UserView, userIdsNamed, userPage, withUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import {
  type Db,
  ifGiven,
  listingClause,
  listingOrder,
  type Row,
  type Tx,
  transaction,
  when,
} from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Empty,
  Id,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { applicationDecided, noSuchQuestionTopic, topicNameTaken } from '../../errors.ts'
import { TopicParams } from '../../schema.ts'
import { addExpert, deleteTopic, nameContains, removeExpert } from '../../topics/queries.ts'
import { NewQuestionTopic } from '../../topics/schema.ts'
import {
  addQuestionTopic,
  changeQuestionTopic,
  decideProposal,
  findProposal,
  type ProposalRow,
  proposalColumns,
} from '../../topics/service.ts'
import { Decision } from '../queries.ts'

const ExpertParams = Type.Object({ topic: Id, user: Id })

const QuestionTopicRecord = Shared('QuestionTopicRecord', {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  avatar: Nullable(AttachmentView),
  questions_count: Type.Integer(),
  follows_count: Type.Integer(),
  experts_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})

const QuestionTopicQuery = Type.Object({
  ...listingQuery(['id', 'questions_count', 'follows_count', 'experts_count'] as const),
  name: Type.Optional(Text(100)),
})
type QuestionTopicQuery = Static<typeof QuestionTopicQuery>

const Experts = Listing(UserView)
const ExpertQuery = Type.Object(listingQuery(['id'] as const))
type ExpertQuery = Static<typeof ExpertQuery>

const Proposal = Shared('QuestionTopicProposal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  user: Nullable(UserView),
  name: Type.String(),
  description: Type.String(),
  state: OneOf(['pending', 'passed', 'rejected'] as const),
  mark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})

const ProposalQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(['pending', 'passed', 'rejected'] as const)),
  user_id: Type.Optional(Id),
})
type ProposalQuery = Static<typeof ProposalQuery>

type QuestionTopicRecordRow = Row<
  'question_topics',
  'id' | 'name' | 'description' | 'created_at' | 'updated_at'
> &
  Row<'question_topic_counts', 'questions_count' | 'follows_count' | 'experts_count'> & {
    avatar: StoredNode | null
  }

const columns = (sql: Db) => sql`
  t.id, t.name, t.description, t.avatar, c.questions_count, c.follows_count, c.experts_count, t.created_at, t.updated_at`

function listTopicRecords(sql: Db, query: QuestionTopicQuery) {
  const { sort = 'id', name, q } = query
  const where = sql`where true ${nameContains(sql, name)} ${nameContains(sql, q)}`
  const tables = sql`question_topics t join question_topic_counts c on c.topic_id = t.id`
  const list =
    sort === 'id'
      ? { id: sql`t.id`, from: sql`question_topics t` }
      : { id: sql`t.id`, by: sql`c.${sql(sort)}`, from: tables }
  return pageOf<QuestionTopicRecordRow>(
    sql,
    // Sorts ids before it loads topics, because sorting whole rows costs more.
    sql`select ${columns(sql)} from ${tables}
      where t.id = any(array(select t.id from ${list.from} ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from question_topics t ${where}`,
  )
}

const findTopicRecord = async (
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<QuestionTopicRecordRow | undefined> =>
  (
    await sql<QuestionTopicRecordRow[]>`
      select ${columns(sql)} from question_topics t join question_topic_counts c on c.topic_id = t.id
      where t.id = ${id} ${when(sql, lock, () => sql`for update of t`)}`
  )[0]

function listExpertIds(sql: Db, topicId: number, query: ExpertQuery) {
  const where = sql`where topic_id = ${topicId}
    ${ifGiven(sql, query.q, (name) => sql`and user_id in (${userIdsNamed(sql, name)})`)}`
  return pageOf<{ user_id: number }>(
    sql,
    sql`
      select user_id from question_topic_experts ${where} ${listingClause(sql, query, { id: sql`user_id` })}`,
    sql`select count(*)::int as total from question_topic_experts ${where}`,
  )
}

function listProposals(sql: Db, query: ProposalQuery) {
  const { q, state, user_id: userId } = query
  const key = nameKey(q ?? '')
  const where = sql`where true
    ${ifGiven(sql, state, (value) => sql`and state = ${value}`)}
    ${ifGiven(sql, userId, (value) => sql`and user_id = ${value}`)}
    ${when(sql, key !== '', () => sql`and name_key like ${`%${escapeLike(key)}%`}`)}`
  return pageOf<ProposalRow>(
    sql,
    sql`
      select ${proposalColumns(sql)} from question_topic_applications ${where} ${listingClause(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from question_topic_applications ${where}`,
  )
}

const access = { ability: 'admin: questions' } as const
const tag = 'Admin: questions'
const subject = 'question-topics'

const summary = ({ name, description, avatar }: QuestionTopicRecordRow) => ({
  name,
  description,
  avatar: avatar?.node ?? null,
})

export function adminQuestionTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag })

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/question-topics',
    tag,
    ability: access.ability,
    subject,
    entity: 'QuestionTopic',
    noun: 'a topic of questions',
    nouns: 'topics of questions',
    param: 'topic',
    item: QuestionTopicRecord,
    query: QuestionTopicQuery,
    body: NewQuestionTopic,
    missing: noSuchQuestionTopic,
    errors: [topicNameTaken, fileNotUsable],
    list: listTopicRecords,
    find: findTopicRecord,
    view: async (rows) =>
      rows.map((row) => ({ ...withWireTimes(row), avatar: attachmentView(ctx, row.avatar) })),
    create: addQuestionTopic,
    change: (tx, userId, { id }, changes) => changeQuestionTopic(tx, id, userId, changes),
    remove: async (tx, { id }) => void (await deleteTopic(tx, id)),
    summary,
  })

  const changeExperts = (
    call: { viewer: { id: number }; request: { id: string }; params: { topic: number } },
    change: Record<string, number>,
    work: (tx: Tx) => Promise<void>,
  ) =>
    transaction(sql, async (tx) => {
      const topic = await findTopicRecord(tx, call.params.topic, { lock: true })
      if (!topic) throw noSuchQuestionTopic()
      await work(tx)
      await recordAudit(tx, call, {
        action: `${subject}.expert`,
        subjectType: subject,
        subjectId: topic.id,
        before: summary(topic),
        after: { ...summary(topic), ...change },
      })
    })

  route('GET /admin/question-topics/:topic/experts', {
    operationId: 'adminListTopicExperts',
    summary: 'List the experts of a topic',
    access,
    params: TopicParams,
    query: ExpertQuery,
    reply: { 200: Experts },
    errors: [noSuchQuestionTopic],
    load: ({ params }) => get(params.topic),
    handler: async ({ loaded: topic, query, viewer }) => {
      const { data, total } = await listExpertIds(sql, topic.id, query)
      const ids = data.map((row) => row.user_id)
      return { data: await userPage(ctx, ids, viewer.id), total }
    },
  })

  route('PUT /admin/question-topics/:topic/experts/:user', {
    operationId: 'adminAddTopicExpert',
    summary: 'Add an expert to a topic',
    access,
    params: ExpertParams,
    reply: { 204: Empty },
    errors: [noSuchQuestionTopic],
    handler: (call) => {
      const { topic, user } = call.params
      return changeExperts(call, { expert: user }, async (tx) => {
        if (!(await isUser(tx, user))) throw notFound()
        await addExpert(tx, topic, user)
      })
    },
  })

  route('DELETE /admin/question-topics/:topic/experts/:user', {
    operationId: 'adminRemoveTopicExpert',
    summary: 'Remove an expert from a topic',
    access,
    params: ExpertParams,
    reply: { 204: Empty },
    errors: [noSuchQuestionTopic],
    handler: (call) => {
      const { topic, user } = call.params
      return changeExperts(call, { no_expert: user }, async (tx) => {
        if (!(await removeExpert(tx, topic, user))) throw notFound()
      })
    },
  })

  mountAdminRecords(server, ctx, {
    path: '/admin/question-topic-applications',
    tag,
    ability: access.ability,
    subject: 'question-topic-applications',
    entity: 'TopicProposal',
    noun: 'a proposed topic of questions',
    nouns: 'proposed topics of questions',
    param: 'application',
    read: false,
    item: Proposal,
    query: ProposalQuery,
    list: listProposals,
    find: findProposal,
    view: (rows, viewerId) => {
      const shown = rows.map((row) => ({
        ...row,
        decided_at: wireTimeOrNull(row.decided_at),
        created_at: wireTime(row.created_at),
      }))
      return withUser(ctx, shown, viewerId)
    },
    decide: {
      summary: 'Accept a proposal, which creates the topic, or reject it',
      body: Decision,
      errors: [applicationDecided, topicNameTaken],
      async run(tx, decidedBy, { id, name }, { action, mark = null }) {
        const decision = { accept: action === 'accept', mark, decidedBy }
        const { proposal, topicId } = await decideProposal(tx, id, decision)
        return {
          action: 'question-topics.proposal',
          after: { state: proposal.state, name, topic_id: topicId, mark },
        }
      },
    },
  })
}
