import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, listingClause, listingOrder, type Tables } from '#platform/database'
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
import { alreadySpent, amountOf, beyondRefundable, notRefundable } from '../../schema.ts'
import { askForRefund, type RefundRow } from './service.ts'

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
