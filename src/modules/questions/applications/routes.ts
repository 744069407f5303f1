import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { localizedMessage, Message, routesOn, type Server, Shared, Type } from '#platform/http'
import {
  appliedAlready,
  excellentAlready,
  noSuchQuestion,
  notEnoughPoints,
  notYourQuestion,
} from '../errors.ts'
import { QuestionParams } from '../schema.ts'
import { requireOwnQuestion } from '../service.ts'
import { applyForExcellence } from './service.ts'

/** Prices of requests and paid views, and the rules of the site. */
const QuestionConfigs = Shared('QuestionConfigs', {
  apply_amount: Type.Integer({ description: 'What a request for excellence costs, in points' }),
  onlookers_amount: Type.Integer({ description: 'What a look at an answer costs, in points' }),
  anonymity_rule: Type.String(),
  reward_rule: Type.String(),
})

/** Routes of requests for excellence and of prices (questions-18). */
export function questionApplicationRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /question-configs', {
    operationId: 'getQuestionConfigs',
    summary: 'Read prices and rules of questions',
    access: 'optional',
    reply: { 200: QuestionConfigs },
    handler: async () => {
      const settings = await readSettings(ctx)
      return {
        apply_amount: settings['question:apply-amount'],
        onlookers_amount: settings['question:onlookers-amount'],
        anonymity_rule: settings['question:anonymity-rule'],
        reward_rule: settings['question:reward-rule'],
      }
    },
  })

  route('POST /user/question-application/:question', {
    operationId: 'applyForExcellence',
    aliases: { applyForExcellenceByOldPath: '/user/currency-question-application/:question' },
    summary: 'Request that a question of mine be marked as excellent',
    access: 'user',
    params: QuestionParams,
    reply: { 201: Message },
    errors: [noSuchQuestion, notYourQuestion, excellentAlready, appliedAlready, notEnoughPoints],
    idempotent: true,
    load: ({ params, viewer }) => requireOwnQuestion(ctx.sql, params.question, viewer.id),
    handler: async ({ params, viewer, request, atomically }) => {
      const fee = (await readSettings(ctx))['question:apply-amount']
      return atomically(async (tx) => {
        await applyForExcellence(tx, params.question, viewer.id, fee)
        return localizedMessage(request, 'Your request was filed.', '申请成功。')
      })
    },
  })
}
