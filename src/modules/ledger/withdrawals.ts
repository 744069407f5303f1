import { fenFor } from '#lib/money.ts'
import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tables, type Tx, when } from '#platform/database'
import { invalidField, notFound } from '#platform/errors.ts'
import {
  Cursor,
  Limit,
  localizedMessage,
  Message,
  Nullable,
  payerOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  type TSchema,
  Type,
  type UnvalidatedCall,
} from '#platform/http'
import { moveFunds } from './movements.ts'
import {
  alreadyDecided,
  amountOf,
  type Currency,
  featureOff,
  IN_FEN,
  IN_POINTS,
  type Movement,
  notEnoughAmount,
  notEnoughValue,
  PLATFORM_ACCOUNTS,
  password,
  requireSwitch,
  type UserFunctions,
} from './schema.ts'
import { type LedgerSettings, readLedgerSettings } from './settings.ts'

const CashBody = Shared('WithdrawalRequest', {
  value: amountOf(IN_FEN),
  type: Text(50),
  account: Text(255),
  password,
})
type CashBody = Static<typeof CashBody>

const PointsCashBody = Shared('PointsWithdrawalRequest', { amount: amountOf(IN_POINTS), password })

const CashQuery = Type.Object({ after: Cursor, limit: Limit() })

const Cash = Shared('Withdrawal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  value: Type.Integer(IN_FEN),
  type: Type.String(),
  account: Type.String(),
  status: Type.Integer({ description: '0 waiting, 1 paid, 2 refused' }),
  remark: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
})

export type WithdrawalRow = Tables['withdrawals'] & {
  currency: Currency
  state: 'pending' | 'passed' | 'rejected'
}

type NewWithdrawal = Pick<WithdrawalRow, 'owner_id' | 'currency' | 'amount' | 'payout' | 'type' | 'account'>

async function insertWithdrawal(sql: Db, asked: NewWithdrawal): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into withdrawals (owner_id, currency, amount, payout, type, account)
    values (${asked.owner_id}, ${asked.currency}, ${asked.amount}, ${asked.payout}, ${asked.type}, ${asked.account})
    returning id`
  return row.id
}

async function closeWithdrawal(
  sql: Db,
  id: number,
  to: { state: 'passed' | 'rejected'; remark: string | null; by: number },
): Promise<WithdrawalRow | undefined> {
  const [row] = await sql<WithdrawalRow[]>`
    update withdrawals set state = ${to.state}, remark = ${to.remark}, decided_by = ${to.by}, decided_at = now(),
      updated_at = now()
    where id = ${id} and state = 'pending'
    returning *`
  return row
}

async function findWithdrawal(sql: Db, id: number): Promise<WithdrawalRow | undefined> {
  const [row] = await sql<WithdrawalRow[]>`select * from withdrawals where id = ${id}`
  return row
}

const listWithdrawals = (sql: Db, ownerId: number, after: number, limit: number) => sql<WithdrawalRow[]>`
  select * from withdrawals
  where owner_id = ${ownerId} and currency = 'wallet' ${when(sql, after > 0, () => sql`and id < ${after}`)}
  order by id desc limit ${limit}`

const subjectOf = (id: number) => ({ type: 'withdrawals', id })

const tooLittle = (field: string, least: number) =>
  invalidField(field, {
    en: `The ${field} must be at least ${least}.`,
    zh: `金额不能小于 ${least}。`,
  })

async function request(tx: Tx, asked: NewWithdrawal, insufficient: () => Error): Promise<void> {
  const id = await insertWithdrawal(tx, asked)
  const { currency, amount, owner_id: from } = asked
  await moveFunds(
    tx,
    { currency, from, to: PLATFORM_ACCOUNTS.escrow, amount, kind: 'withdrawal', subject: subjectOf(id) },
    insufficient,
  )
}

async function withdrawMoney(
  tx: Tx,
  ownerId: number,
  { value, type, account }: CashBody,
  settings: LedgerSettings,
): Promise<void> {
  const least = settings['wallet:cash-min-amount']
  if (value < least) throw tooLittle('value', least)
  if (!settings['wallet:cash-types'].includes(type))
    throw invalidField('type', { en: 'This type of account is not available.', zh: '不支持该提现方式。' })
  await request(
    tx,
    { owner_id: ownerId, currency: 'wallet', amount: value, payout: value, type, account },
    notEnoughValue,
  )
}

async function withdrawPoints(
  tx: Tx,
  ownerId: number,
  amount: number,
  settings: LedgerSettings,
): Promise<void> {
  const [least, most] = [settings['currency:cash-min'], settings['currency:cash-max']]
  const ratio = settings['currency:recharge-ratio']
  const { fen, left } = fenFor(amount, ratio)
  if (amount < least || fen < 1) throw tooLittle('amount', Math.max(least, ratio))
  if (amount > most)
    throw invalidField('amount', {
      en: `The amount may not be greater than ${most}.`,
      zh: `金额不能大于 ${most}。`,
    })
  await request(
    tx,
    { owner_id: ownerId, currency: 'points', amount: amount - left, payout: fen, type: null, account: null },
    notEnoughAmount,
  )
}

function settlement(row: WithdrawalRow, passed: boolean): Movement[] {
  const { currency, amount, owner_id: owner, payout, id } = row
  const { escrow, issuance } = PLATFORM_ACCOUNTS
  const held = { currency, amount, from: escrow, subject: subjectOf(id) }
  if (!passed) return [{ ...held, to: owner, kind: 'withdrawal:rejected' }]
  const paid: Movement = { ...held, to: issuance, kind: 'withdrawal:passed' }
  if (currency === 'wallet') return [paid]
  // `payout` was converted at the ratio that applied when the user requested the withdrawal.
  return [paid, { ...paid, currency: 'wallet', from: issuance, to: owner, amount: payout }]
}

export async function decideWithdrawal(
  tx: Tx,
  id: number,
  { passed, remark, by }: { passed: boolean; remark: string | null; by: number },
): Promise<WithdrawalRow> {
  const row = await closeWithdrawal(tx, id, { state: passed ? 'passed' : 'rejected', remark, by })
  if (!row) throw (await findWithdrawal(tx, id)) ? alreadyDecided() : notFound()
  await moveFunds(tx, settlement(row, passed))
  return row
}

const STATUS = { pending: 0, passed: 1, rejected: 2 } as const

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
      const settings = await readLedgerSettings(ctx)
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
      const settings = await readLedgerSettings(ctx)
      return atomically(async (tx) => {
        await withdrawPoints(tx, viewer.id, body.amount, settings)
        return localizedMessage(request, 'Your withdrawal is being reviewed.', '提现申请已提交。')
      })
    },
  })
}
