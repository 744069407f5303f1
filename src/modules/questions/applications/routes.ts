import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Message, Type } from '#platform/schema.ts'
import { requireOwnQuestion } from '../publishing/service.ts'
import { QuestionParams } from '../schema.ts'
import { applyForExcellence } from './service.ts'

const Configs = Type.Object({
  apply_amount: Type.Integer({ description: 'What a request for excellence costs' }),
  onlookers_amount: Type.Integer({ description: 'What a look at an answer costs' }),
  anonymity_rule: Type.String(),
  reward_rule: Type.String(),
})

/** Requests for excellence, and what things cost. */
export function questionApplicationRoutes(server: Server, ctx: Context) {
  server.get(
    '/question-configs',
    {
      config: { access: 'optional' },
      schema: { tags: ['Questions'], summary: 'Prices and rules', response: { 200: Configs } },
    },
    async () => {
      const settings = await readSettings(ctx)
      return {
        apply_amount: settings['question:apply-amount'],
        onlookers_amount: settings['question:onlookers-amount'],
        anonymity_rule: settings['question:anonymity-rule'],
        reward_rule: settings['question:reward-rule'],
      }
    },
  )

  for (const path of [
    '/user/question-application/:question',
    '/user/currency-question-application/:question',
  ])
    server.post(
      path,
      {
        config: { access: 'user' },
        schema: {
          tags: ['Questions'],
          summary: 'Ask that a question of mine become an excellent one',
          params: QuestionParams,
          response: { 201: Message },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const { question } = request.params
          await requireOwnQuestion(ctx.sql, question, viewerId(request))
          const fee = (await readSettings(ctx))['question:apply-amount']
          return atomically(async (tx) => {
            await applyForExcellence(tx, question, viewerOf(request).id, fee)
            return { status: 201, body: say(request, 'Your request was filed.', '申请成功。') }
          })
        }),
    )
}
