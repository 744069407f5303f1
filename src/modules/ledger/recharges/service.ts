import { isAmount, pointsFor } from '#lib/money.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx } from '#platform/database'
import { invalidField, notFound } from '#platform/errors.ts'
import { Int, OpenObject, Shared, type Static, Text, Type } from '#platform/http'
import { moveFunds } from '../movements.ts'
import { PointsOrder, WalletOrder } from '../orders/queries.ts'
import { isServiceMethod, type Opening, openPayment, requireWithinDay } from '../payments/service.ts'
import {
  alreadyDecided,
  amountOf,
  type Currency,
  IN_FEN,
  IN_POINTS,
  noSuchOrder,
  otherAmount,
  PLATFORM_ACCOUNTS,
  referenceUsed,
  tooMuch,
} from '../schema.ts'
import { type LedgerSettings, readLedgerSettings } from '../settings.ts'
import { closeRecharge, findRecharge, insertRecharge, type RechargeRow } from './queries.ts'

export type PaymentProvider = {
  begin(order: RechargeRow, extra: Record<string, unknown>): Promise<Record<string, unknown>>
}

/**
 * Payment outside the system. Users quote the order's code, and an administrator confirms the payment by its
 * reference.
 */
const manual: PaymentProvider = {
  begin: async (order) => ({
    id: `manual-${order.id}`,
    object: 'charge',
    channel: 'manual',
    order_no: String(order.id),
    amount: order.amount,
    currency: 'cny',
    paid: false,
    credential: { manual: { code: `ORDER-${order.id}` } },
  }),
}

const PROVIDERS: Record<string, PaymentProvider> = { manual }

const findProvider = (name: string): PaymentProvider | undefined =>
  Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined

export const RechargeBody = Shared('RechargeRequest', {
  type: Text(50),
  amount: amountOf(IN_FEN),
  extra: Type.Optional(OpenObject),
})
export type RechargeBody = Static<typeof RechargeBody>

export const WalletRecharge = Shared('WalletRecharge', { order: WalletOrder, pingpp_order: OpenObject })
export const PointsRecharge = Shared('PointsRecharge', { order: PointsOrder, pingpp_order: OpenObject })

export const ChargedRecharge = Shared('ChargedRecharge', { id: Type.Integer(), charge: OpenObject })

export const NativeRechargeBody = Shared('NativeRechargeRequest', {
  type: Text(50, { description: 'Payment provider of the site' }),
  amount: amountOf(IN_FEN),
  from: Type.Optional(Int(0, 5)),
})

export const NativeRecharge = Shared('NativeRecharge', {
  message: Type.String(),
  data: OpenObject,
  out_trade_no: Type.String({ description: 'Order number, to check the state of the order' }),
})

/**
 * Result that the payment app returned to the client. The server reads only the order number and the amount.
 */
export const RechargeCheck = Shared('RechargeCheck', {
  result: Type.Optional(Text(10_000)),
  out_trade_no: Type.Optional(Text(32)),
  memo: Type.Optional(Text(1000)),
  resultStatus: Type.Optional(Text(32)),
})
export type RechargeCheck = Static<typeof RechargeCheck>

export const RechargeState = Shared('RechargeState', { message: Type.String() })

export const PointsSettings = Shared('PointsSettings', {
  'recharge-ratio': Type.Integer({ description: 'Points per fen' }),
  'recharge-options': Type.String(IN_FEN),
  'recharge-max': Type.Integer(IN_FEN),
  'recharge-min': Type.Integer(IN_FEN),
  'cash-max': Type.Integer(IN_POINTS),
  'cash-min': Type.Integer(IN_POINTS),
  rule: Type.String(),
  cash: Type.Array(Type.String()),
  'recharge-type': Type.Array(Type.String()),
})

const unknownType = () =>
  invalidField('type', { en: 'This payment method is not available.', zh: '不支持该充值方式。' })
async function beginRecharge(
  ctx: Context,
  tx: Tx,
  { ownerId, currency, method, amount, credited, extra }: Opening,
): Promise<Begun> {
  const provider = findProvider(method)
  if (!provider) throw unknownType()
  await requireWithinDay(ctx, tx, ownerId, amount)
  const order = await insertRecharge(tx, { owner_id: ownerId, currency, provider: method, amount, credited })
  return { order, charge: await provider.begin(order, extra) }
}

export type Begun = { order: RechargeRow; charge: Record<string, unknown> }

/** Formats a charge in the way of Ping++, because existing clients expect its format. */
const chargeOf = ({ id, amount, provider }: RechargeRow, data: Record<string, unknown> | string) => ({
  id: `${provider}-${id}`,
  object: 'charge',
  channel: provider,
  order_no: String(id),
  amount,
  currency: 'cny',
  paid: false,
  credential: { [provider]: data },
})

/**
 * Calls the payment service before the transaction, so that no transaction stays open during the call.
 * Returns a function to run in the transaction.
 */
export async function prepareRecharge(
  ctx: Context,
  { viewer, request }: { viewer: { id: number }; request: { ip: string } },
  currency: Currency,
  { type, amount, extra = {} }: RechargeBody,
): Promise<(tx: Tx) => Promise<Begun>> {
  const settings = await readLedgerSettings(ctx)
  if (!settings['wallet:recharge-types'].includes(type)) throw unknownType()
  if (currency === 'points') requireWithin(amount, settings)
  const credited = currency === 'points' ? pointsFor(amount, settings['currency:recharge-ratio']) : amount
  if (!isAmount(credited)) throw tooMuch()
  const opening = {
    ownerId: viewer.id,
    currency,
    method: type,
    amount,
    credited,
    address: request.ip,
    extra,
  }
  if (!isServiceMethod(ctx, type)) return (tx) => beginRecharge(ctx, tx, opening)
  const { order, data } = await openPayment(ctx, opening)
  return async () => ({ order, charge: chargeOf(order, data) })
}

function requireWithin(amount: number, settings: LedgerSettings) {
  const [least, most] = [settings['currency:recharge-min'], settings['currency:recharge-max']]
  if (amount < least || amount > most)
    throw invalidField('amount', {
      en: `The amount must be from ${least} to ${most}.`,
      zh: `金额须在 ${least} 至 ${most} 之间。`,
    })
}

/** Credits a recharge. Its state and the unique payment reference prevent a second credit. */
export async function confirmRecharge(
  tx: Tx,
  id: number,
  { reference, remark = null, by }: { reference: string; remark?: string | null; by: number },
): Promise<RechargeRow> {
  const order = await onConstraint(closeRecharge(tx, id, { state: 'confirmed', reference, remark, by }), {
    recharges_reference_used: referenceUsed,
  })
  if (!order) throw (await findRecharge(tx, id)) ? alreadyDecided() : notFound()
  await moveFunds(tx, {
    currency: order.currency,
    from: PLATFORM_ACCOUNTS.issuance,
    to: order.owner_id,
    amount: order.credited,
    kind: 'recharge',
    subject: { type: 'recharges', id },
  })
  return order
}

export async function rejectRecharge(
  tx: Tx,
  id: number,
  { remark, by }: { remark: string | null; by: number },
): Promise<RechargeRow> {
  const order = await closeRecharge(tx, id, { state: 'rejected', reference: null, remark, by })
  if (!order) throw (await findRecharge(tx, id)) ? alreadyDecided() : notFound()
  return order
}

function readResult(result: string | undefined): { out_trade_no?: unknown; total_amount?: unknown } {
  try {
    const { alipay_trade_app_pay_response: told } = JSON.parse(result ?? '') ?? {}
    return typeof told === 'object' && told !== null ? told : {}
  } catch {
    return {}
  }
}

/** Finds an order of the user. Credits nothing, because `result` is only the client's claim (money-19). */
export async function getCheckedRecharge(
  sql: Db,
  ownerId: number,
  currency: Currency,
  { out_trade_no, result }: RechargeCheck,
): Promise<RechargeRow> {
  const told = readResult(result)
  const number = String(out_trade_no ?? told.out_trade_no ?? '')
  // Accepts an order id, or a merchant order number that ends with the order id.
  const id = /^(?:k[0-9a-f]{10}_)?([1-9]\d{0,15})$/.exec(number)?.[1]
  const order = id === undefined ? undefined : await findRecharge(sql, Number(id))
  if (order?.owner_id !== ownerId || order.currency !== currency) throw noSuchOrder()
  if (told.total_amount !== undefined && Math.round(Number(told.total_amount) * 100) !== order.amount)
    throw otherAmount()
  return order
}
