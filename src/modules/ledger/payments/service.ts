import { randomBytes } from 'node:crypto'
import { messageOf } from '#lib/faults.ts'
import { isAmount } from '#lib/money.ts'
import { readSiteSettings } from '#modules/settings/index.ts'
import { databaseTime } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { fieldName } from '#platform/field-names.ts'
import { addJob } from '#platform/jobs'
import { moveFunds } from '../movements.ts'
import { insertRecharge, type RechargeRow, sumOfDay } from '../recharges/queries.ts'
import {
  type Currency,
  dailyLimit,
  type Movement,
  PLATFORM_ACCOUNTS,
  paymentUnavailable,
  tooMuch,
} from '../schema.ts'
import { readLedgerSettings } from '../settings.ts'
import {
  type Dispute,
  type PaymentFacts,
  PaymentFault,
  paymentService,
  serviceOfMethod,
} from './providers/choose.ts'
import {
  closeUnpaid,
  confirmPaid,
  findReportedRefund,
  findWaitingNotices,
  insertPayment,
  isPaymentUsed,
  lockPayment,
  lockPaymentNumber,
  markPending,
  type NoticeOutcome,
  type PaymentRow,
  recordDifference,
  recordRefund,
  savePayment,
  settleNotice,
  sumLostClaims,
  sumStatedRefunds,
  takeForAsking,
} from './queries.ts'

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

const TITLES = { wallet: 'Wallet', points: 'Points' } as const

export type Opening = {
  ownerId: number
  currency: Currency
  method: string
  /** Amount to pay, in fen. */
  amount: number
  credited: number
  address: string
  extra: Record<string, unknown>
}

export async function requireWithinDay(ctx: Context, tx: Tx, ownerId: number, amount: number): Promise<void> {
  const { 'wallet:recharge-daily': most } = await readLedgerSettings(ctx)
  const { 'site:time-zone': zone } = await readSiteSettings(ctx)
  if (most > 0 && (await sumOfDay(tx, ownerId, zone)) + amount > most) throw dailyLimit()
}

export const isServiceMethod = (ctx: Context, method: string): boolean =>
  serviceOfMethod(ctx.config.payments, method) !== undefined

/**
 * Commits the order before the call to the provider. A crash then leaves an unpaid order, never a payment
 * without an order.
 */
export async function openPayment(
  ctx: Context,
  { ownerId, currency, method, amount, credited, address, extra }: Opening,
): Promise<{ order: RechargeRow; data: Record<string, unknown> | string }> {
  const name = serviceOfMethod(ctx.config.payments, method)
  const service = name && (await paymentService(ctx.config.payments, name))
  if (!service) throw paymentUnavailable()
  const charge = service.charge(amount)
  if (!charge) throw tooMuch()
  const lacking = service.lacks?.({ method, extra })
  if (lacking !== undefined)
    throw invalidField('extra', {
      en: `The extra.${lacking} field is required.`,
      zh: `${fieldName(`extra.${lacking}`)}不能为空。`,
    })
  const { order, payment } = await transaction(ctx.sql, async (tx) => {
    await requireWithinDay(ctx, tx, ownerId, amount)
    const order = await insertRecharge(tx, {
      owner_id: ownerId,
      currency,
      provider: method,
      amount,
      credited,
    })
    const payment = await insertPayment(tx, {
      recharge_id: order.id,
      provider: name,
      method,
      order_number: `k${randomBytes(5).toString('hex')}_${order.id}`,
      charged: charge.amount,
      charge_currency: charge.currency,
    })
    return { order, payment }
  })
  try {
    const { session, data } = await service.begin({
      number: payment.order_number,
      method,
      ...charge,
      title: TITLES[currency],
      expiresAt: new Date(payment.expires_at),
      address,
      extra,
    })
    await markPending(ctx.sql, order.id, session)
    return { order, data }
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error
    ctx.log.warn({ recharge: order.id, reason: error.message, code: error.code }, 'opening a payment failed')
    throw paymentUnavailable()
  }
}

/** Returns the part of the credited amount that corresponds to `part` of the charged amount. */
const shareOf = (credited: number, part: number, charged: number) =>
  part >= charged ? credited : Number((BigInt(credited) * BigInt(part)) / BigInt(charged))

async function credit(tx: Tx, row: PaymentRow, payment: string): Promise<string | undefined> {
  const recharge = await confirmPaid(tx, row.recharge_id, payment)
  if (!recharge) return 'credited_otherwise'
  await moveFunds(tx, {
    currency: recharge.currency,
    from: PLATFORM_ACCOUNTS.issuance,
    to: recharge.owner_id,
    amount: recharge.credited,
    kind: 'recharge',
    subject: { type: 'recharges', id: row.recharge_id },
  })
  await addJob(tx, 'send_receipt', { id: row.recharge_id }, { maxAttempts: 5 })
  return undefined
}

/**
 * Debits the owner when the refunded total grows to `refunded`. The site pays what the owner has already
 * spent.
 */
export async function takeBack(
  tx: Tx,
  row: PaymentRow,
  refunded: number,
): Promise<{ own: number; site: number }> {
  const { owner, currency, amount } = await shareBetween(tx, row, row.refunded, refunded)
  if (!isAmount(amount)) return { own: 0, site: 0 }
  const [account] = await tx<{ balance: number }[]>`
    select balance from ledger_accounts where owner_id = ${owner} and currency = ${currency} for update`
  const own = Math.min(account?.balance ?? 0, amount)
  const { income, issuance } = PLATFORM_ACCOUNTS
  const part = partsOf(row, currency)
  await moveFunds(tx, [...part(owner, issuance, own), ...part(income, issuance, amount - own)])
  return { own, site: amount - own }
}

/** Reverts the debit of a rejected refund. Credits the site up to `sitePart`, and the owner with the rest. */
export async function giveBack(tx: Tx, row: PaymentRow, refunded: number, sitePart: number): Promise<void> {
  const { owner, currency, amount } = await shareBetween(tx, row, refunded, row.refunded)
  if (!isAmount(amount)) return
  const site = Math.min(sitePart, amount)
  const { income, issuance } = PLATFORM_ACCOUNTS
  const part = partsOf(row, currency)
  await moveFunds(tx, [...part(issuance, owner, amount - site), ...part(issuance, income, site)])
}

/** Returns the credited amount that corresponds to a growth of the refunded total from `from` to `to`. */
async function shareBetween(tx: Tx, row: PaymentRow, from: number, to: number) {
  const [recharge] = await tx<[{ owner_id: number; currency: Currency; credited: number }]>`
    select owner_id, currency, credited from recharges where id = ${row.recharge_id}`
  const { owner_id: owner, currency, credited } = recharge
  const amount = shareOf(credited, to, row.charged) - shareOf(credited, from, row.charged)
  return { owner, currency, amount }
}

const partsOf =
  (row: PaymentRow, currency: Currency) =>
  (from: number, to: number, amount: number): Movement[] =>
    amount > 0
      ? [
          {
            currency,
            from,
            to,
            amount,
            kind: 'recharge:refunded',
            subject: { type: 'payments', id: row.recharge_id },
          },
        ]
      : []

export function stateOf(row: PaymentRow, status: PaymentFacts['status']): PaymentRow['state'] {
  if (row.payment_number === null) {
    if (status === 'failed' || status === 'expired') return status
    return row.state
  }
  if (row.fault !== null) return row.refunded >= row.charged ? 'refunded' : 'paid'
  if (row.refunded >= row.charged) return 'refunded'
  return row.dispute === 'open' ? 'disputed' : 'credited'
}

/**
 * Records a completed refund that the provider reports. Returns the amount to add to the refunded total, or 0
 * when the refund is not completed or the total already contains the refund.
 */
async function countRefund(
  tx: Tx,
  row: PaymentRow,
  refund: NonNullable<PaymentFacts['refund']>,
): Promise<number> {
  if (refund.state !== 'done' || refund.amount <= 0 || refund.number === '') return 0
  const known = await findReportedRefund(tx, row.provider, refund.number)
  if (known?.state !== 'done') await recordRefund(tx, row, refund)
  return known === undefined || known.state === 'refused' ? refund.amount : 0
}

/** Notes the state of a dispute, which is final once it is won or lost, and what the payer's bank reclaims. */
async function noteDispute(
  tx: Tx,
  row: PaymentRow,
  { dispute, claim }: Pick<PaymentFacts, 'claim'> & { dispute: Dispute },
): Promise<void> {
  const isOther = claim !== undefined && row.dispute_number !== null && claim.number !== row.dispute_number
  const isFinal = (row.dispute === 'won' || row.dispute === 'lost') && !isOther
  if (!isFinal) {
    row.dispute = dispute
    row.dispute_number = claim?.number ?? row.dispute_number
  }
  if (dispute !== 'lost') return
  const isPart = claim !== undefined && claim.currency === row.charge_currency
  const lost = isPart
    ? Math.max(claim.amount, await sumLostClaims(tx, row.provider, row.payment_number ?? ''))
    : row.charged
  row.lost_amount = Math.min(row.charged, Math.max(row.lost_amount, lost))
}

/** Order numbers of Kith have this format. Other systems may share the account at the provider. */
export const isOwnOrder = (order: string) => /^k[0-9a-f]{10}_\d+$/.test(order)

/** Applies facts to a locked payment. Crediting requires the checkout and the order that Kith opened (money-26). */
async function applyToPayment(tx: Tx, before: PaymentRow, facts: PaymentFacts): Promise<NoticeOutcome> {
  const { provider } = before
  const row = { ...before }
  const difference = (kind: 'amount' | 'uncredited', number: string, found: number | null) =>
    recordDifference(tx, {
      provider,
      day: dayOf(new Date()),
      kind,
      number,
      recharge_id: row.recharge_id,
      expected: row.charged,
      found,
      found_currency: facts.currency || null,
    })
  if (facts.session !== undefined && facts.session !== row.session) {
    if (facts.status !== 'paid') return { state: 'foreign', row }
    // An order without a session is still being opened.
    return row.session === null
      ? { state: 'waiting', row }
      : { state: 'unmatched', fault: 'other_session', row }
  }
  if (row.payment_number !== null && facts.payment && facts.payment !== row.payment_number)
    return { state: 'unmatched', fault: 'other_payment', row }
  if (facts.status === 'paid' && row.payment_number === null) {
    const payment = facts.payment ?? ''
    const isRight = facts.amount === row.charged && facts.currency === row.charge_currency
    if (payment === '' || (await isPaymentUsed(tx, provider, payment, row.recharge_id))) {
      await difference('uncredited', payment || row.order_number, facts.amount ?? null)
      return { state: 'applied', row }
    }
    row.payment_number = payment
    row.fault = isRight ? ((await credit(tx, row, payment)) ?? null) : 'other_amount'
    if (row.fault !== null) await difference(isRight ? 'uncredited' : 'amount', payment, facts.amount ?? null)
  }
  if (row.payment_number === null) {
    if (facts.dispute || facts.refund || facts.stated || facts.refunded) return { state: 'waiting', row }
  } else {
    if (facts.dispute !== undefined) await noteDispute(tx, row, { ...facts, dispute: facts.dispute })
    const one = facts.refund ? await countRefund(tx, row, facts.refund) : 0
    const stated = facts.stated ? await sumStatedRefunds(tx, provider, row.payment_number) : 0
    row.told_refunded = Math.max(row.told_refunded, facts.refunded ?? 0, stated)
    const refunded = Math.min(row.charged, Math.max(row.told_refunded + row.lost_amount, row.refunded + one))
    if (refunded > row.refunded) {
      // `credit` may precede this call. The two cannot deadlock, because both lock only the owner's account.
      if (row.fault === null) await takeBack(tx, row, refunded)
      row.refunded = refunded
    }
  }
  row.state = stateOf(row, facts.status)
  const isClosed = row.state === 'expired' || row.state === 'failed'
  if (isClosed && row.state !== before.state) await closeUnpaid(tx, row.recharge_id)
  if (JSON.stringify(row) !== JSON.stringify(before)) await savePayment(tx, row)
  return { state: 'applied', row }
}

/**
 * Applies facts that the provider reports about a payment, in any order and repeatedly. A payment that becomes
 * paid also receives the notices that waited for it (money-25).
 */
export async function applyFacts(tx: Tx, provider: string, facts: PaymentFacts): Promise<NoticeOutcome> {
  const { order = '', payment = '', session } = facts
  if (payment !== '') await lockPaymentNumber(tx, provider, payment)
  const before = await lockPayment(tx, provider, facts)
  if (!before) {
    // The server can find the order of a payment later, except for the payment of a checkout.
    const isForeign = order === '' ? payment === '' || session !== undefined : !isOwnOrder(order)
    return { state: isForeign ? 'foreign' : 'waiting' }
  }
  const outcome = await applyToPayment(tx, before, facts)
  const row = outcome.row
  if (!row || before.payment_number !== null || row.payment_number === null) return outcome
  let current = row
  for (const notice of await findWaitingNotices(tx, row)) {
    const each = await applyToPayment(tx, current, notice.facts)
    await settleNotice(tx, notice.id, each)
    current = each.row ?? current
  }
  return outcome
}

/** Queries the provider about a payment. If the order expired unpaid, closes the order at the provider. */
export async function queryPayment(ctx: Context, row: PaymentRow): Promise<void> {
  const service = await paymentService(ctx.config.payments, row.provider)
  if (!service) return
  const order = { number: row.order_number, session: row.session }
  let facts = await service.find(order)
  if (facts.status === 'unpaid' || facts.status === 'unknown') {
    if (Date.parse(row.expires_at) > (await databaseTime(ctx.sql))) return
    if (facts.status === 'unpaid') await service.close(order)
    facts = { order: row.order_number, status: 'expired' }
  }
  await transaction(ctx.sql, (tx) => applyFacts(tx, row.provider, { ...facts, order: row.order_number }))
}

/** Ignores faults of the provider after logging them, because a scheduled query follows. */
export async function queryPaymentOnReturn(ctx: Context, id: number): Promise<void> {
  const row = await takeForAsking(ctx.sql, id)
  if (!row) return
  try {
    await queryPayment(ctx, row)
  } catch (error) {
    logFault(ctx, row, error)
  }
}

export function logFault(ctx: Context, row: Pick<PaymentRow, 'recharge_id'>, error: unknown): void {
  if (!(error instanceof PaymentFault)) throw error
  ctx.log.warn(
    { recharge: row.recharge_id, reason: messageOf(error) },
    'requesting the state of a payment failed',
  )
}
