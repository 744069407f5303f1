import { hasAbility } from '#modules/abilities/index.ts'
import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { notEnoughFor } from '#modules/ledger/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import { contactRefused } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { blocked, unauthenticated } from '#platform/errors.ts'
import { Empty, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { requireAnonymity } from '../anonymity.ts'
import { countAnswerComments, countAnswerLikes, countAnswerRewards } from '../counters.ts'
import {
  adoptedAlready,
  anonymityOff,
  answerAdopted,
  answerInvited,
  noSuchAnswer,
  noSuchQuestion,
  nothingToChange,
  notYourAnswer,
  notYourQuestion,
  ownAnswer,
} from '../errors.ts'
import { findQuestionRow } from '../queries.ts'
import { leaveRankings } from '../ranks.ts'
import { AnswerParams, AnswerView, QuestionParams, RepostedQuery } from '../schema.ts'
import { requireOwnQuestion } from '../service.ts'
import { answerContent } from '../view.ts'
import {
  AnswerDetail,
  AnswerMade,
  AnswerPatch,
  AnswersQuery,
  NewAnswer,
  UserAnswer,
  UserAnswersQuery,
} from './queries.ts'
import {
  adopt,
  answerQuestion,
  deleteAnswer,
  editAnswer,
  getAnswer,
  listAnswersOf,
  listRepostedAnswers,
  listUserAnswers,
  requireOwnAnswer,
} from './service.ts'
import { answerViews } from './view.ts'

const SCREENED = ['body', 'text_body'] as const
const AdoptionParams = Type.Object({ ...QuestionParams.properties, ...AnswerParams.properties })

export function answerRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Answers' })
  const requireQuestion = async ({ params }: { params: { question: number } }) => {
    if (!(await findQuestionRow(sql, params.question))) throw noSuchQuestion()
  }

  route('GET /questions/:question/answers', {
    operationId: 'listAnswers',
    summary: 'List the answers of a question, most liked or newest first',
    access: 'optional',
    params: QuestionParams,
    query: AnswersQuery,
    reply: { 200: Type.Array(AnswerView) },
    errors: [noSuchQuestion],
    precheck: requireQuestion,
    handler: ({ params, query, viewer }) => listAnswersOf(ctx, params.question, viewer.id, query),
  })

  route('GET /question-answers/:answer', {
    operationId: 'getAnswer',
    summary: 'Read an answer with its question and count a view',
    access: 'optional',
    params: AnswerParams,
    reply: { 200: AnswerDetail },
    errors: [noSuchAnswer],
    handler: ({ params, viewer }) => getAnswer(ctx, params.answer, viewer.id),
  })

  route('GET /user/question-answer', {
    operationId: 'listUserAnswers',
    summary: 'List the answers of a person, by default my own',
    access: 'optional',
    query: UserAnswersQuery,
    reply: { 200: Type.Array(UserAnswer) },
    errors: [unauthenticated],
    handler: ({ query, viewer }) => listUserAnswers(ctx, viewer.id, query),
  })

  route('GET /qa/reposted-answers', {
    operationId: 'listRepostedAnswers',
    summary: 'List reposted answers',
    access: 'optional',
    query: RepostedQuery,
    reply: { 200: Type.Array(UserAnswer) },
    handler: ({ query, viewer }) => listRepostedAnswers(ctx, query.id ?? [], viewer.id),
  })

  route('POST /questions/:question/answers', {
    operationId: 'createAnswer',
    aliases: { createAnswerByOldPath: '/currency-questions/:question/answers' },
    summary: 'Answer a question',
    access: 'user',
    params: QuestionParams,
    body: NewAnswer,
    reply: { 201: AnswerMade },
    errors: [noSuchQuestion, anonymityOff, sensitiveWords, blocked, contactRefused],
    idempotent: true,
    load: requireQuestion,
    handler: async ({ params, body: given, viewer, request, atomically }) => {
      await requireAnonymity(ctx, given.anonymity)
      const body = await screenWords(ctx, given, NewAnswer, SCREENED)
      return atomically(async (tx) => {
        const row = await answerQuestion(tx, params.question, viewer.id, body)
        const { id, question_id, anonymity } = row
        const author = anonymity ? {} : { user_id: viewer.id }
        await publishEvent(ctx, tx, 'answer.created', { id, question_id, ...author })
        const [answer] = await answerViews(ctx, [row], viewer.id, tx)
        return { ...localizedMessage(request, 'Your answer was published.', '回答成功。'), answer: answer! }
      })
    },
  })

  route('PATCH /question-answers/:answer', {
    operationId: 'updateAnswer',
    summary: 'Change an answer of mine',
    access: 'user',
    params: AnswerParams,
    body: AnswerPatch,
    reply: { 201: Message },
    errors: [
      noSuchAnswer,
      notYourAnswer,
      answerAdopted,
      anonymityOff,
      nothingToChange,
      sensitiveWords,
      blocked,
      contactRefused,
    ],
    precheck: async ({ params, viewer }) => {
      const answer = await requireOwnAnswer(sql, params.answer, viewer.id)
      if (answer.adoption) throw answerAdopted()
    },
    handler: async ({ params: { answer: id }, body, viewer, request }) => {
      await requireOwnAnswer(sql, id, viewer.id)
      await requireAnonymity(ctx, body.anonymity)
      const patch = await screenWords(ctx, body, AnswerPatch, SCREENED)
      if (await transaction(sql, (tx) => editAnswer(tx, id, viewer.id, patch))) leaveRankings(ctx, viewer.id)
      return localizedMessage(request, 'Changed.', '修改成功。')
    },
  })

  route('DELETE /question-answers/:answer', {
    operationId: 'deleteAnswer',
    summary: 'Delete an answer of mine',
    access: 'user',
    params: AnswerParams,
    reply: { 204: Empty },
    errors: [noSuchAnswer, notYourAnswer, answerAdopted, answerInvited],
    handler: ({ params, viewer }) =>
      transaction(sql, async (tx) => {
        const by = { userId: viewer.id, anybodys: false }
        const { id, question_id } = await deleteAnswer(tx, params.answer, by)
        await publishEvent(ctx, tx, 'answer.deleted', { id, question_id })
      }),
  })

  route('PUT /questions/:question/adoptions/:answer', {
    operationId: 'adoptAnswer',
    aliases: { adoptAnswerByOldPath: '/questions/:question/currency-adoptions/:answer' },
    summary: 'Adopt an answer to my question',
    access: 'user',
    params: AdoptionParams,
    reply: { 201: Message },
    errors: [noSuchQuestion, notYourQuestion, noSuchAnswer, ownAnswer, blocked, adoptedAlready],
    idempotent: true,
    load: ({ params, viewer }) => requireOwnQuestion(sql, params.question, viewer.id),
    handler: ({ params, viewer, request, atomically }) =>
      atomically(async (tx) => {
        await adopt(tx, params.question, params.answer, viewer.id)
        return localizedMessage(request, 'The answer was adopted.', '采纳成功。')
      }),
  })

  mountComments(server, ctx, answerContent, {
    path: '/question-answers/:answer/comments',
    shape: 'array',
    count: countAnswerComments,
    mayModerate: (context, _, viewerId) => hasAbility(context, viewerId, 'admin: questions'),
  })
  mountLikes(server, ctx, answerContent, {
    create: '/question-answers/:answer/likes',
    remove: '/question-answers/:answer/likes',
    list: '/question-answers/:answer/likes',
    twice: 422,
    none: 422,
    pageSize: 20,
    count: countAnswerLikes,
  })
  mountCollections(server, ctx, answerContent, {
    create: '/user/question-answer/collections/:answer',
    remove: '/user/question-answer/collections/:answer',
    twice: 422,
    none: 422,
  })
  mountRewards(server, ctx, answerContent, {
    create: '/question-answers/:answer/rewarders',
    aliases: { rewardAnswerByOldPath: '/question-answers/:answer/new-rewards' },
    list: '/question-answers/:answer/rewarders',
    notice: 'qa:reward',
    // Reports a low balance as an invalid `amount` (questions-15).
    poor: notEnoughFor('amount'),
    pageSize: 20,
    count: countAnswerRewards,
  })
  mountReports(server, ctx, answerContent, { path: '/question-answers/:answer/reports' })
}
