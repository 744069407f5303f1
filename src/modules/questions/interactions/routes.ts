import { hasAbility } from '#modules/abilities/index.ts'
import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { notEnoughFor } from '#modules/ledger/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { mountReports } from '#modules/reports/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import {
  answerContent,
  countAnswerComments,
  countAnswerLikes,
  countAnswerRewards,
  countQuestionComments,
  questionContent,
} from '../service.ts'

/** What people do to questions and answers (R §19.1). */
export function questionInteractionRoutes(server: Server, ctx: Context) {
  const mayModerate = (context: Context, _target: unknown, viewerId: number) =>
    hasAbility(context, viewerId, 'admin: questions')
  mountComments(server, ctx, questionContent, {
    path: '/questions/:question/comments',
    shape: 'array',
    count: countQuestionComments,
    mayModerate,
  })
  mountComments(server, ctx, answerContent, {
    path: '/question-answers/:answer/comments',
    shape: 'array',
    count: countAnswerComments,
    mayModerate,
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
    // The amount is valid up to the balance (R §19.1).
    poor: notEnoughFor('amount'),
    pageSize: 20,
    count: countAnswerRewards,
  })
  mountReports(server, ctx, questionContent, { path: '/questions/:question/reports' })
  mountReports(server, ctx, answerContent, { path: '/question-answers/:answer/reports' })
}
