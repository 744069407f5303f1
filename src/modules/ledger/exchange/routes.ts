import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Message } from '#platform/schema.ts'
import { type PasswordCheck, passwordStep } from '../password.ts'
import { requireSwitch } from '../switches.ts'
import { TransferBody, TransformBody } from './schema.ts'
import { transfer, transform } from './service.ts'

const tags = ['Wallet and points']

/** Wallet money to somebody else, which asks for the payment password (R §27.2), or into points (R §21.3). */
export const exchangeRoutes = (check: PasswordCheck) => (server: Server, ctx: Context) => {
  const askPassword = passwordStep(ctx, check)

  server.post(
    '/plus-pay/transfer',
    {
      config: { access: 'user', before: askPassword },
      schema: {
        tags,
        summary: 'Pay wallet money to somebody',
        body: TransferBody,
        response: { 201: Message },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await askPassword(request, reply)
        return atomically(async (tx) => {
          await transfer(tx, viewerOf(request).id, request.body)
          return { status: 201, body: say(request, 'Paid.', '转账成功。') }
        })
      }),
  )

  server.post(
    '/plus-pay/transform',
    {
      config: { access: 'user', before: () => requireSwitch(ctx, 'wallet:transform-currency') },
      schema: {
        tags,
        summary: 'Exchange wallet money for points',
        body: TransformBody,
        response: { 201: Message },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await requireSwitch(ctx, 'wallet:transform-currency')
        const settings = await readSettings(ctx)
        return atomically(async (tx) => {
          await transform(tx, viewerOf(request).id, request.body.amount, settings)
          return { status: 201, body: say(request, 'Exchanged.', '兑换成功。') }
        })
      }),
  )
}
