import { isAmount, pointsFor } from '#lib/money.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { blocked, invalidField } from '#platform/errors.ts'
import {
  Id,
  localizedMessage,
  Message,
  payerOf,
  routesOn,
  type Server,
  Shared,
  type Static,
} from '#platform/http'
import { moveFunds } from './movements.ts'
import {
  amountOf,
  featureOff,
  IN_FEN,
  notEnoughAmount,
  ownAccount,
  PLATFORM_ACCOUNTS,
  password,
  requireSwitch,
  tooMuch,
  type UserFunctions,
  unknownPerson,
} from './schema.ts'
import { type LedgerSettings, readLedgerSettings } from './settings.ts'

const TransferBody = Shared('Transfer', { user: Id, amount: amountOf(IN_FEN), password })
type TransferBody = Static<typeof TransferBody>

const TransformBody = Shared('Exchange', { amount: amountOf(IN_FEN) })

async function transfer(
  tx: Tx,
  from: number,
  { user: to, amount }: TransferBody,
  people: Pick<UserFunctions, 'isUser' | 'requireNotBlocked'>,
): Promise<void> {
  if (to === from) throw ownAccount()
  if (!(await people.isUser(tx, to))) throw unknownPerson()
  await people.requireNotBlocked(tx, from, [to])
  const subject = { type: 'users', id: to }
  await moveFunds(tx, { currency: 'wallet', from, to, amount, kind: 'transfer', subject }, notEnoughAmount)
}

async function transform(tx: Tx, ownerId: number, amount: number, settings: LedgerSettings): Promise<void> {
  const minimum = settings['currency:recharge-min']
  if (amount < minimum)
    throw invalidField('amount', {
      en: `The amount must be at least ${minimum}.`,
      zh: `金额不能小于 ${minimum}。`,
    })
  const points = pointsFor(amount, settings['currency:recharge-ratio'])
  if (!isAmount(points)) throw tooMuch()
  const { issuance } = PLATFORM_ACCOUNTS
  const exchange = { kind: 'transform' as const, subject: { type: 'users', id: ownerId } }
  await moveFunds(
    tx,
    [
      { ...exchange, currency: 'wallet', from: ownerId, to: issuance, amount },
      { ...exchange, currency: 'points', from: issuance, to: ownerId, amount: points },
    ],
    notEnoughAmount,
  )
}

export const exchangeRoutes = (people: UserFunctions) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  route('POST /plus-pay/transfer', {
    operationId: 'transferMoney',
    summary: 'Transfer wallet money to another user',
    access: 'user',
    body: TransferBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, ownAccount, unknownPerson, blocked, notEnoughAmount],
    load: (arrival) => people.checkPassword(ctx, payerOf(ctx, arrival)),
    idempotent: true,
    handler: ({ request, viewer, body, atomically }) =>
      atomically(async (tx) => {
        await transfer(tx, viewer.id, body, people)
        return localizedMessage(request, 'Paid.', '转账成功。')
      }),
  })

  route('POST /plus-pay/transform', {
    operationId: 'exchangeMoneyForPoints',
    summary: 'Exchange wallet money for points',
    access: 'user',
    body: TransformBody,
    reply: { 201: Message },
    errors: [featureOff, tooMuch, notEnoughAmount],
    load: () => requireSwitch(ctx, 'wallet:transform-currency'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readLedgerSettings(ctx)
      return atomically(async (tx) => {
        await transform(tx, viewer.id, body.amount, settings)
        return localizedMessage(request, 'Exchanged.', '兑换成功。')
      })
    },
  })
}
