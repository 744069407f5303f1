import { randomBytes } from 'node:crypto'
import type { Context } from '#platform/context.ts'
import { type Tables, type Tx, transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { alreadySpent, beyondRefundable, notRefundable } from '../../schema.ts'
import { PaymentFault, paymentService } from '../providers/choose.ts'
import { lockPaymentOf, savePayment, takeDueRefunds } from '../queries.ts'
import { applyFacts, giveBack, logFault, stateOf, takeBack } from '../service.ts'

export type RefundRow = Tables['payment_refunds'] & { state: 'asked' | 'done' | 'refused' }

type Asked = {
  rechargeId: number
  amount: number | undefined
  /**
   * Decides what happens when the owner has spent the recharged amount. `refuse` rejects the refund. `site`
   * charges the spent part to the site.
   */
  spent: 'refuse' | 'site'
  reason: string
  by: number
}

/** Debits the owner before the call to the provider, so that the owner cannot spend the money in between. */
export async function askForRefund(
  tx: Tx,
  { rechargeId, amount, spent, reason, by }: Asked,
): Promise<RefundRow> {
  const payment = await lockPaymentOf(tx, rechargeId)
  if (!payment) throw notFound()
  const isWrong = payment.fault !== null && payment.fault !== 'credited_otherwise'
  const isDisputed = payment.dispute === 'open' || payment.dispute === 'lost'
  if (payment.payment_number === null || isWrong || isDisputed) throw notRefundable()
  const left = payment.charged - payment.refunded
  const wanted = amount ?? left
  if (wanted > left || left === 0) throw beyondRefundable()
  const refunded = payment.refunded + wanted
  const { own, site } = payment.fault === null ? await takeBack(tx, payment, refunded) : { own: 0, site: 0 }
  if (spent === 'refuse' && site > 0) throw alreadySpent()
  await savePayment(tx, { ...payment, refunded, state: stateOf({ ...payment, refunded }, 'paid') })
  const [row] = await tx<[RefundRow]>`
    insert into payment_refunds (recharge_id, provider, refund_number, amount, own_part, site_part, reason, asked_by,
      ask_at)
    values (${rechargeId}, ${payment.provider}, ${`r${randomBytes(5).toString('hex')}_${rechargeId}`}, ${wanted},
      ${own}, ${site}, ${reason}, ${by}, now() + interval '1 minute')
    returning *`
  await addJob(tx, 'refund_payment', { id: row.id })
  return row
}

/** Stores the outcome of an open refund. If the provider rejected the refund, reverts the owner's debit. */
async function settleRefund(
  tx: Tx,
  { id, recharge_id }: Pick<RefundRow, 'id' | 'recharge_id'>,
  outcome: { state: 'done' | 'refused'; fault?: string | undefined },
): Promise<void> {
  const payment = await lockPaymentOf(tx, recharge_id)
  const [row] = await tx<RefundRow[]>`
    update payment_refunds set state = ${outcome.state}, fault = ${outcome.fault ?? null}, updated_at = now()
    where id = ${id} and state = 'asked'
    returning *`
  if (!payment || !row || outcome.state === 'done') return
  const [{ sum }] = await tx<[{ sum: number }]>`
    select coalesce(sum(amount), 0)::bigint as sum from payment_refunds
    where recharge_id = ${recharge_id} and state <> 'refused'`
  // Subtracts the rejected refund from the total, but not below the total that the provider reported, or
  // below the sum of the open and completed refunds.
  const refunded = Math.min(
    payment.charged,
    Math.max(
      payment.refunded - row.amount,
      payment.told_refunded + payment.lost_amount,
      sum + payment.lost_amount,
    ),
  )
  if (payment.fault === null) await giveBack(tx, payment, refunded, row.site_part)
  await savePayment(tx, { ...payment, refunded, state: stateOf({ ...payment, refunded }, 'paid') })
}

/**
 * Requests the refund from the provider. A repeated request is safe, because the provider pays each refund
 * number once.
 */
async function requestRefund(ctx: Context, row: RefundRow): Promise<void> {
  const [payment] = await ctx.sql<Tables['payments'][]>`
    select * from payments where recharge_id = ${row.recharge_id}`
  const service = await paymentService(ctx.config.payments, row.provider)
  if (!payment || !service) return
  try {
    const { state, refunded } = await service.refund({
      order: payment.order_number,
      payment: payment.payment_number ?? '',
      charged: payment.charged,
      currency: payment.charge_currency,
      number: row.refund_number,
      amount: row.amount,
      reason: row.reason ?? '',
    })
    if (state !== 'done') return
    await transaction(ctx.sql, async (tx) => {
      await settleRefund(tx, row, { state })
      // Adopts the provider's total, because Kith may have mistaken a refund made on the provider's site for this
      // refund.
      if (refunded !== undefined)
        await applyFacts(tx, row.provider, { order: payment.order_number, status: 'unknown', refunded })
    })
  } catch (error) {
    if (!(error instanceof PaymentFault && error.isRefusal)) return logFault(ctx, payment, error)
    const outcome = { state: 'refused', fault: error.code ?? error.message } as const
    await transaction(ctx.sql, (tx) => settleRefund(tx, row, outcome))
  }
}

export async function requestRefundOf(ctx: Context, id: number): Promise<void> {
  const [row] = await ctx.sql<RefundRow[]>`select * from payment_refunds where id = ${id} and state = 'asked'`
  if (row) await requestRefund(ctx, row)
}

const AT_ONCE = 100

export async function requestDueRefunds(ctx: Context): Promise<void> {
  for (let rows: RefundRow[]; ; ) {
    rows = await takeDueRefunds(ctx.sql, AT_ONCE)
    for (const row of rows) await requestRefund(ctx, row)
    if (rows.length < AT_ONCE) return
  }
}
