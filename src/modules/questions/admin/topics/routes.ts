import { wireTime, wireTimeOrNull, withWireTimes } from '#lib/time.ts'
import { isUser, userPage } from '#modules/accounts/index.ts'
import { mountAdminCrud, recordAudit } from '#modules/audit/index.ts'
import { attachmentView, fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { Empty, routesOn, type Server } from '#platform/http'
import { applicationDecided, noSuchQuestionTopic, topicNameTaken } from '../../errors.ts'
import { TopicParams } from '../../schema.ts'
import { isProposal } from '../../topics/proposals/queries.ts'
import { decideProposal } from '../../topics/proposals/service.ts'
import { addExpert, deleteTopic, removeExpert } from '../../topics/queries.ts'
import { NewQuestionTopic } from '../../topics/schema.ts'
import { addQuestionTopic, changeQuestionTopic } from '../../topics/service.ts'
import { Decision } from '../schema.ts'
import { withUser } from '../view.ts'
import {
  findTopicRecord,
  listExpertIds,
  listProposals,
  listTopicRecords,
  type QuestionTopicRecordRow,
} from './queries.ts'
import {
  ExpertParams,
  ExpertQuery,
  Experts,
  ProposalListing,
  ProposalParams,
  ProposalQuery,
  QuestionTopicQuery,
  QuestionTopicRecord,
} from './schema.ts'

const access = { ability: 'admin: questions' } as const
const tag = 'Admin: questions'
const subject = 'question-topics'

/** The fields of a topic in an audit record. */
const summary = ({ name, description, avatar }: QuestionTopicRecordRow) => ({
  name,
  description,
  avatar: avatar?.node ?? null,
})

/** Admin routes of question topics, their experts and proposals (questions-27). */
export function adminQuestionTopicRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag })

  const { get } = mountAdminCrud(server, ctx, {
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

  /** Locks a topic, changes its experts, and records the change in the audit log. */
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

  route('GET /admin/question-topic-applications', {
    operationId: 'adminListTopicProposals',
    summary: 'List proposed topics of questions',
    access,
    query: ProposalQuery,
    reply: { 200: ProposalListing },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listProposals(sql, query)
      const rows = data.map((row) => ({
        ...row,
        decided_at: wireTimeOrNull(row.decided_at),
        created_at: wireTime(row.created_at),
      }))
      return { data: await withUser(ctx, rows, viewer.id), total }
    },
  })

  route('PATCH /admin/question-topic-applications/:application', {
    operationId: 'adminDecideTopicProposal',
    summary: 'Accept a proposal, which creates the topic, or reject it',
    access,
    params: ProposalParams,
    body: Decision,
    reply: { 204: Empty },
    errors: [applicationDecided, topicNameTaken],
    precheck: async ({ params }) => {
      if (!(await isProposal(sql, params.application))) throw notFound()
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const id = call.params.application
        const { action, mark = null } = call.body
        const accept = action === 'accept'
        const decision = { accept, mark, decidedBy: call.viewer.id }
        const { proposal, topicId } = await decideProposal(tx, id, decision)
        await recordAudit(tx, call, {
          action: `${subject}.proposal`,
          subjectType: 'question-topic-applications',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: proposal.state, name: proposal.name, topic_id: topicId, mark },
        })
      }),
  })
}
