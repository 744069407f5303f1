import { wireTime } from '#lib/time.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import {
  localizedMessage,
  Message,
  payerOf,
  routesOn,
  type Server,
  type Static,
  type TSchema,
  Type,
  type UnvalidatedCall,
} from '#platform/http'
import type { UserFunctions } from '../people.ts'
import { featureOff, notEnoughAmount, notEnoughValue } from '../schema.ts'
import { requireSwitch } from '../switches.ts'
import {
  Cash,
  CashBody,
  CashQuery,
  listWithdrawals,
  PointsCashBody,
  type WithdrawalRow,
  withdrawMoney,
  withdrawPoints,
} from './service.ts'

const STATUS = { pending: 0, passed: 1, rejected: 2 } as const

/** A withdrawal as its owner sees it. */
const cashView = (row: WithdrawalRow): Static<typeof Cash> => ({
  id: row.id,
  user_id: row.owner_id,
  value: row.amount,
  type: row.type ?? '',
  account: row.account ?? '',
  status: STATUS[row.state],
  remark: row.remark,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

/** Withdrawal routes (money-10), which require the payment password. */
export const withdrawalRoutes = (people: UserFunctions) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })
  const admit = async (arrival: UnvalidatedCall<'user', TSchema>, name: 'wallet:cash' | 'currency:cash') => {
    await people.checkPassword(ctx, payerOf(ctx, arrival))
    await requireSwitch(ctx, name)
  }

  route('GET /plus-pay/cashes', {
    operationId: 'listWithdrawals',
    summary: 'List my withdrawals, newest first',
    access: 'user',
    query: CashQuery,
    reply: { 200: Type.Array(Cash) },
    aliases: { listWithdrawalsByOldPath: '/wallet/cashes' },
    handler: async ({ viewer, query: { after = 0, limit = 15 } }) =>
      (await listWithdrawals(ctx.sql, viewer.id, after, limit)).map(cashView),
  })

  route('POST /plus-pay/cashes', {
    operationId: 'createWithdrawal',
    summary: 'Request a withdrawal of wallet money',
    access: 'user',
    body: CashBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, featureOff, notEnoughValue],
    aliases: { createWithdrawalByOldPath: '/wallet/cashes' },
    load: (arrival) => admit(arrival, 'wallet:cash'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        await withdrawMoney(tx, viewer.id, body, settings)
        return localizedMessage(request, 'Your withdrawal is being reviewed.', '提现申请已提交。')
      })
    },
  })

  route('POST /currency/cash', {
    operationId: 'createPointsWithdrawal',
    summary: 'Request to withdraw points',
    access: 'user',
    body: PointsCashBody,
    reply: { 201: Message },
    errors: [...people.passwordErrors, featureOff, notEnoughAmount],
    load: (arrival) => admit(arrival, 'currency:cash'),
    idempotent: true,
    handler: async ({ request, viewer, body, atomically }) => {
      const settings = await readSettings(ctx)
      return atomically(async (tx) => {
        await withdrawPoints(tx, viewer.id, body.amount, settings)
        return localizedMessage(request, 'Your withdrawal is being reviewed.', '提取申请已提交。')
      })
    },
  })
}
