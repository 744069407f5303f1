import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Message, Shared, Type } from '#platform/schema.ts'
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

/** What requests and looks cost, and the rules that a site tells its people. */
const QuestionConfigs = Shared('QuestionConfigs', {
  apply_amount: Type.Integer({ description: 'What a request for excellence costs' }),
  onlookers_amount: Type.Integer({ description: 'What a look at an answer costs' }),
  anonymity_rule: Type.String(),
  reward_rule: Type.String(),
})

/** Requests for excellence, and prices (questions-18). */
export function questionApplicationRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /question-configs', {
    operationId: 'getQuestionConfigs',
    summary: 'Prices and rules',
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
    summary: 'Ask that a question of mine become an excellent one',
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
        return say(request, 'Your request was filed.', '申请成功。')
      })
    },
  })
}
