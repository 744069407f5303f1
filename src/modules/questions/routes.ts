import { hasAbility } from '#modules/abilities/index.ts'
import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { contactRefused } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked, unauthenticated } from '#platform/errors.ts'
import {
  Empty,
  localizedMessage,
  payerOf,
  routesOn,
  type Server,
  type TSchema,
  Type,
  type UnvalidatedCall,
} from '#platform/http'
import { requireAnonymity } from './anonymity.ts'
import { countQuestionComments } from './counters.ts'
import {
  anonymityOff,
  bountyFixed,
  bountyTooHigh,
  noSuchQuestion,
  noSuchQuestionTopic,
  nothingToChange,
  notYourQuestion,
} from './errors.ts'
import { listQuestions } from './queries.ts'
import {
  Bounty,
  NewQuestion,
  QuestionDetail,
  QuestionItem,
  QuestionMade,
  QuestionParams,
  QuestionPatch,
  QuestionsQuery,
  RepostedQuery,
  TopicParams,
  UserQuestionsQuery,
} from './schema.ts'
import {
  askQuestion,
  deleteQuestion,
  editQuestion,
  getQuestion,
  listRepostedQuestions,
  listUserQuestions,
  requireOwnQuestion,
  resetBounty,
} from './service.ts'
import { requireTopic } from './topics/service.ts'
import { questionContent, questionItems, questionViews } from './view.ts'

const SCREENED = ['subject', 'body', 'text_body'] as const
const OWN_ERRORS = [noSuchQuestion, notYourQuestion]

export function questionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Questions' })

  const admitPayer = async (arrival: UnvalidatedCall<'user', TSchema>) => {
    const { amount } = (arrival.request.body ?? {}) as { amount?: unknown }
    if (amount === undefined || amount === null || amount === '' || Number(amount) === 0) return
    await checkPaymentPassword(ctx, payerOf(ctx, arrival))
  }
  const admitOwner = async (arrival: UnvalidatedCall<'user', typeof QuestionParams>) => {
    await requireOwnQuestion(sql, arrival.params.question, arrival.viewer.id)
    await admitPayer(arrival)
  }

  route('GET /questions', {
    operationId: 'listQuestions',
    summary: 'List questions: unanswered, all, hot, with a bounty, excellent, or watched by me',
    access: 'optional',
    query: QuestionsQuery,
    reply: { 200: Type.Array(QuestionItem) },
    handler: async ({ query, viewer }) =>
      questionItems(ctx, await listQuestions(sql, viewer.id, query), viewer.id),
  })

  route('GET /question-topics/:topic/questions', {
    operationId: 'listTopicQuestions',
    summary: 'List the questions of a topic',
    access: 'optional',
    params: TopicParams,
    query: QuestionsQuery,
    reply: { 200: Type.Array(QuestionItem) },
    errors: [noSuchQuestionTopic],
    load: ({ params }) => requireTopic(sql, params.topic),
    handler: async ({ params, query, viewer }) =>
      questionItems(ctx, await listQuestions(sql, viewer.id, query, params.topic), viewer.id),
  })

  route('GET /questions/:question', {
    operationId: 'getQuestion',
    summary: 'Read a question and count a view',
    access: 'optional',
    params: QuestionParams,
    reply: { 200: QuestionDetail },
    errors: [noSuchQuestion],
    handler: ({ params, viewer }) => getQuestion(ctx, params.question, viewer.id),
  })

  route('GET /user/questions', {
    operationId: 'listUserQuestions',
    summary: 'List the questions of a person, by default my own',
    access: 'optional',
    query: UserQuestionsQuery,
    reply: { 200: Type.Array(QuestionItem) },
    errors: [unauthenticated],
    handler: ({ query, viewer }) => listUserQuestions(ctx, viewer.id, query),
  })

  route('GET /qa/reposted-questions', {
    operationId: 'listRepostedQuestions',
    summary: 'List reposted questions',
    access: 'optional',
    query: RepostedQuery,
    reply: { 200: Type.Array(QuestionItem) },
    handler: ({ query, viewer }) => listRepostedQuestions(ctx, query.id ?? [], viewer.id),
  })

  route('POST /questions', {
    operationId: 'createQuestion',
    aliases: { createQuestionByOldPath: '/currency-questions' },
    summary: 'Ask a question',
    access: 'user',
    body: NewQuestion,
    reply: { 201: QuestionMade },
    errors: [
      ...PAYMENT_PASSWORD_ERRORS,
      blocked,
      contactRefused,
      anonymityOff,
      sensitiveWords,
      bountyTooHigh,
    ],
    idempotent: true,
    load: admitPayer,
    handler: async ({ body: given, viewer, request, atomically }) => {
      await requireAnonymity(ctx, given.anonymity)
      const body = await screenWords(ctx, given, NewQuestion, SCREENED)
      return atomically(async (tx) => {
        const row = await askQuestion(tx, viewer.id, body)
        const { id, anonymity } = row
        await publishEvent(ctx, tx, 'question.created', anonymity ? { id } : { id, user_id: viewer.id })
        const [question] = await questionViews(ctx, [row], viewer.id, tx)
        return {
          ...localizedMessage(request, 'Your question was published.', '发布成功。'),
          question: question!,
        }
      })
    },
  })

  route('PATCH /questions/:question', {
    operationId: 'updateQuestion',
    aliases: { updateQuestionByOldPath: '/currency-questions/:question' },
    summary: 'Change a question of mine',
    access: 'user',
    params: QuestionParams,
    body: QuestionPatch,
    reply: { 204: Empty },
    errors: [
      blocked,
      contactRefused,
      ...[...OWN_ERRORS, ...PAYMENT_PASSWORD_ERRORS, bountyFixed],
      ...[anonymityOff, nothingToChange, sensitiveWords, bountyTooHigh],
    ],
    idempotent: true,
    load: admitOwner,
    handler: async ({ params, body, viewer, atomically }) => {
      await requireAnonymity(ctx, body.anonymity)
      const patch = await screenWords(ctx, body, QuestionPatch, SCREENED)
      return atomically((tx) => editQuestion(tx, params.question, viewer.id, patch))
    },
  })

  route('PATCH /questions/:question/amount', {
    operationId: 'setBounty',
    aliases: { setBountyByOldPath: '/currency-questions/:question/amount' },
    summary: 'Set or change the bounty of a question of mine',
    access: 'user',
    params: QuestionParams,
    body: Bounty,
    reply: { 204: Empty },
    errors: [...OWN_ERRORS, ...PAYMENT_PASSWORD_ERRORS, bountyFixed, bountyTooHigh],
    idempotent: true,
    load: admitOwner,
    handler: ({ params, body, viewer, atomically }) =>
      atomically((tx) => resetBounty(tx, params.question, viewer.id, body.amount)),
  })

  route('DELETE /questions/:question', {
    operationId: 'deleteQuestion',
    aliases: { deleteQuestionByOldPath: '/currency-questions/:question' },
    summary: 'Delete a question of mine and refund its unearned bounty',
    access: 'user',
    params: QuestionParams,
    reply: { 204: Empty },
    errors: OWN_ERRORS,
    idempotent: true,
    load: ({ params, viewer }) => requireOwnQuestion(sql, params.question, viewer.id),
    handler: ({ params: { question: id }, viewer, atomically }) =>
      atomically(async (tx) => {
        await deleteQuestion(tx, id, { userId: viewer.id, anybodys: false })
        await publishEvent(ctx, tx, 'question.deleted', { id })
      }),
  })

  mountComments(server, ctx, questionContent, {
    path: '/questions/:question/comments',
    shape: 'array',
    count: countQuestionComments,
    mayModerate: (context, _, viewerId) => hasAbility(context, viewerId, 'admin: questions'),
  })
  mountReports(server, ctx, questionContent, { path: '/questions/:question/reports' })
}
