import { randomBytes } from 'node:crypto'
import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  type Tables,
  type Tx,
  transaction,
} from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { addJob } from '#platform/jobs'
import { alreadySpent, amountOf, beyondRefundable, notRefundable } from '../schema.ts'
import { PaymentFault, paymentService } from './providers/choose.ts'
import { lockPaymentOf, savePayment, takeDueRefunds } from './queries.ts'
import { applyFacts, giveBack, logFault, stateOf, takeBack } from './service.ts'

type RefundRow = Tables['payment_refunds'] & { state: 'asked' | 'done' | 'refused' }

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
async function askForRefund(tx: Tx, { rechargeId, amount, spent, reason, by }: Asked): Promise<RefundRow> {
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

const IN_CHARGED = { description: 'In the minor unit of `charge_currency`' }

const Refund = Shared('PaymentRefund', {
  id: Type.Integer(),
  recharge_id: Type.Integer(),
  provider: Type.String(),
  number: Type.String({ description: 'Number of the refund at the provider' }),
  amount: Type.Integer(IN_CHARGED),
  charge_currency: Type.String({ description: 'Currency that the provider charged, such as cny' }),
  state: Type.String({ description: 'asked, done or refused' }),
  fault: Nullable(Type.String({ description: 'Error code of the provider for a refused refund' })),
  borne: Type.Integer({
    description:
      'Amount that the site covered because the owner had spent it, in points or in fen of the wallet',
  }),
  currency: Type.String({ description: 'Credited balance: points or wallet' }),
  reason: Nullable(Type.String()),
  asked_by: Nullable(Type.Integer({ description: 'Null for a refund made at the provider' })),
  created_at: Time,
  updated_at: Time,
})

const STATES = ['asked', 'done', 'refused'] as const
const RefundQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(STATES)),
})
const RefundBody = Shared('PaymentRefundRequest', {
  recharge_id: Id,
  amount: Type.Optional(
    amountOf({
      description: `In the minor unit of the charged currency. Absent: the whole amount not refunded yet`,
    }),
  ),
  spent: Type.Optional(
    OneOf(['refuse', 'site'] as const, {
      description:
        'Handling of an amount that the owner has spent: reject the refund (default), or let the site cover it',
    }),
  ),
  reason: Text(255),
})

type ShownRefund = RefundRow &
  Pick<Tables['payments'], 'charge_currency'> &
  Pick<Tables['recharges'], 'currency'>

const view = (row: ShownRefund): Static<typeof Refund> => ({
  id: row.id,
  recharge_id: row.recharge_id,
  provider: row.provider,
  number: row.refund_number,
  amount: row.amount,
  charge_currency: row.charge_currency,
  state: row.state,
  fault: row.fault,
  borne: row.site_part,
  currency: row.currency,
  reason: row.reason,
  asked_by: row.asked_by,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

const withCurrencies = (sql: Db, rows: Fragment) => sql`
  select r.*, p.charge_currency, o.currency
  from (${rows}) r join payments p on p.recharge_id = r.recharge_id join recharges o on o.id = r.recharge_id`

function listRefunds(sql: Db, query: Static<typeof RefundQuery>) {
  const where = sql`where true ${ifGiven(sql, query.state, (state) => sql`and r.state = ${state}`)}
    ${ifGiven(sql, query.q, (part) => sql`and r.refund_number like ${`%${escapeLike(part)}%`}`)}`
  const list = { id: sql`r.id` }
  return pageOf<ShownRefund>(
    sql,
    sql`${withCurrencies(sql, sql`select r.* from payment_refunds r ${where} ${listingClause(sql, query, list)}`)}
      ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from payment_refunds r ${where}`,
  )
}

const findRefund = async (sql: Db, id: number) =>
  (await sql<ShownRefund[]>`${withCurrencies(sql, sql`select * from payment_refunds where id = ${id}`)}`)[0]

export function adminRefundRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: money' })
  const access = { ability: 'admin: recharges' }

  mountAdminRecords(server, ctx, {
    path: '/admin/payment-refunds',
    tag: 'Admin: money',
    ability: access.ability,
    subject: 'payment_refunds',
    entity: 'PaymentRefund',
    noun: 'a refund of a payment',
    nouns: 'refunds of payments',
    param: 'refund',
    item: Refund,
    query: RefundQuery,
    list: listRefunds,
    find: findRefund,
    view: async (rows) => rows.map(view),
  })

  route('POST /admin/payment-refunds', {
    operationId: 'adminRefundPayment',
    summary: 'Refund all or part of a payment through its provider',
    access,
    body: RefundBody,
    reply: { 201: Refund },
    errors: [notRefundable, beyondRefundable, alreadySpent, notFound],
    idempotent: true,
    handler: (call) =>
      call.atomically(async (tx) => {
        const { recharge_id: rechargeId, amount, spent = 'refuse', reason } = call.body
        const { id } = await askForRefund(tx, { rechargeId, amount, spent, reason, by: call.viewer.id })
        const row = (await findRefund(tx, id))!
        await recordAudit(tx, call, {
          action: 'payment_refunds.create',
          subjectType: 'payment_refunds',
          subjectId: row.id,
          after: {
            ...{ recharge: rechargeId, amount: row.amount, charge_currency: row.charge_currency },
            ...{ borne: row.site_part, currency: row.currency, reason },
          },
        })
        return view(row)
      }),
  })
}
