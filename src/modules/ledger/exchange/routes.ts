import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { notEnoughAmount, ownAccount, switchedOff, tooMuch, unknownPerson } from '../errors.ts'
import type { People } from '../people.ts'
import { requireSwitch } from '../switches.ts'
import { TransferBody, TransformBody } from './schema.ts'
import { transfer, transform } from './service.ts'

/** Wallet money to somebody else (money-8), or into points (money-7). */
export const exchangeRoutes = (people: People) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  route('POST /plus-pay/transfer', {
    operationId: 'transferMoney',
    summary: 'Pay wallet money to somebody',
    access: 'user',
    body: TransferBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, ownAccount, unknownPerson, notEnoughAmount],
    load: (arrival) => people.checkPassword(ctx, payerOf(ctx, arrival)),
    idempotent: true,
    handler: ({ request, viewer, body, atomically }) =>
      atomically(async (tx) => {
        await transfer(tx, viewer.id, body, people)
        return say(request, 'Paid.', '转账成功。')
      }),
  })

  route('POST /plus-pay/transform', {
    operationId: 'exchangeMoneyForPoints',
    summary: 'Exchange wallet money for points',
    access: 'user',
    body: TransformBody,
    reply: { 201: Message },
    errors: [switchedOff, tooMuch, notEnoughAmount],
    load: () => requireSwitch(ctx, 'wallet:transform-currency'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        await transform(tx, viewer.id, body.amount, settings)
        return say(request, 'Exchanged.', '兑换成功。')
      })
    },
  })
}
