import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, transaction } from '#platform/database'
import {
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { configuredServices, type PaymentFacts, PaymentFault, paymentService } from './providers/choose.ts'
import {
  findDisputed,
  findPayment,
  keepNotice,
  type NoticeOutcome,
  type NoticeRow,
  type PaymentRow,
  settleNotice,
  takeDueNotices,
} from './queries.ts'
import { applyFacts, isOwnOrder, logFault, queryPayment } from './service.ts'

const applyNotice = (ctx: Context, { id, provider, facts, order_number }: NoticeRow) =>
  transaction(ctx.sql, async (tx): Promise<NoticeOutcome> => {
    const outcome = await applyFacts(tx, provider, { ...facts, order: order_number ?? '' })
    await settleNotice(tx, id, outcome)
    return outcome
  })

async function queryUnpaid(ctx: Context, row: PaymentRow): Promise<void> {
  try {
    await queryPayment(ctx, row)
  } catch (error) {
    logFault(ctx, row, error)
  }
}

/**
 * Stores what the provider says before applying it, so that a failure or a missing payment loses nothing
 * (money-25). Queries the provider when the notice concerns an order that counts as unpaid.
 */
export async function receiveNotice(
  ctx: Context,
  provider: string,
  source: 'notice' | 'statement',
  facts: PaymentFacts,
): Promise<void> {
  const notice = await keepNotice(ctx.sql, provider, source, facts)
  const { state, fault, row } = await applyNotice(ctx, notice)
  if (state === 'unmatched')
    ctx.log.warn({ provider, notice: notice.id, fault }, 'a payment notice concerns another payment')
  if (state === 'waiting' && row) await queryUnpaid(ctx, row)
}

/** Finds the order of a waiting notice. Returns undefined for an order of another system. */
async function findOrder(ctx: Context, notice: NoticeRow): Promise<string | undefined> {
  const service = await paymentService(ctx.config.payments, notice.provider)
  if (notice.order_number !== null || !notice.payment_number || !service?.orderOf)
    return notice.order_number ?? ''
  const order = await service.orderOf(notice.payment_number)
  return order !== undefined && isOwnOrder(order) ? order : undefined
}

async function pursueNotice(ctx: Context, notice: NoticeRow): Promise<void> {
  const order = await findOrder(ctx, notice)
  if (order === undefined) return settleNotice(ctx.sql, notice.id, { state: 'foreign' })
  const [known] = await ctx.sql<NoticeRow[]>`
    update payment_notices set order_number = ${order || null} where id = ${notice.id} and state = 'waiting'
    returning *`
  if (!known) return
  const payment = await findPayment(ctx.sql, known.provider, order)
  if (payment?.payment_number === null) await queryPayment(ctx, payment)
  await applyNotice(ctx, known)
}

const AT_ONCE = 100

/** Looks for the payments of waiting notices. */
export async function pursueNotices(ctx: Context): Promise<void> {
  for (const notice of await takeDueNotices(ctx.sql, AT_ONCE))
    try {
      await pursueNotice(ctx, notice)
    } catch (error) {
      if (!(error instanceof PaymentFault)) throw error
      ctx.log.warn(
        { provider: notice.provider, notice: notice.id, reason: error.message },
        'finding the payment of a notice failed',
      )
    }
}

/** Asks for the results of open disputes, because a decision appears on no statement and its notice may be lost. */
export async function queryDisputes(ctx: Context): Promise<void> {
  for (const provider of configuredServices(ctx.config.payments)) {
    const service = await paymentService(ctx.config.payments, provider)
    if (!service?.disputeOf) continue
    try {
      for (let after = 0, rows: PaymentRow[]; ; after = rows.at(-1)!.recharge_id) {
        rows = await findDisputed(ctx.sql, provider, after, AT_ONCE)
        for (const { order_number: order, payment_number } of rows) {
          const found = await service.disputeOf(payment_number ?? '')
          if (found.dispute !== undefined && found.dispute !== 'open')
            await transaction(ctx.sql, (tx) =>
              applyFacts(tx, provider, { order, status: 'unknown', ...found }),
            )
        }
        if (rows.length < AT_ONCE) break
      }
    } catch (error) {
      if (!(error instanceof PaymentFault)) throw error
      ctx.log.warn({ provider, reason: error.message }, 'requesting the result of a dispute failed')
    }
  }
}

/**
 * Keeps lines of statements longest, because their refunds are summed while a provider still refunds. Keeps notices
 * without a payment longer than a bank may dispute a payment.
 */
export async function deleteOldNotices(sql: Db): Promise<void> {
  await sql`
    delete from payment_notices
    where received_at < now() - make_interval(days => case
      when state in ('waiting', 'unmatched') then 180 when source = 'statement' then 400 else 90 end)`
}

type NoticeKind = 'payment' | 'refund' | 'dispute'
const kindOf = ({ dispute, refund, stated, refunded }: PaymentFacts): NoticeKind =>
  dispute ? 'dispute' : refund || stated || refunded ? 'refund' : 'payment'

export type LostNotice = {
  kind: NoticeKind
  number: string
  fault: NoticeRow['fault']
  day: string
}

const LISTED = 20

/** Finds notices without a payment. Notices of the last hour may still arrive in another order than they were sent. */
export async function findLostNotices(
  sql: Db,
  provider: string,
): Promise<{ count: number; notices: LostNotice[] }> {
  const rows = await sql<(NoticeRow & { count: number })[]>`
    select n.*, count(*) over ()::int as count from payment_notices n
    where provider = ${provider}
      and (state = 'unmatched' or (state = 'waiting' and received_at < now() - interval '1 hour'))
    order by id desc limit ${LISTED}`
  const notices = rows.map((row) => ({
    kind: kindOf(row.facts),
    number: row.payment_number ?? row.order_number ?? '',
    fault: row.fault,
    day: row.received_at.slice(0, 10),
  }))
  return { count: rows[0]?.count ?? 0, notices }
}

const STATES = ['waiting', 'applied', 'unmatched', 'foreign', 'lost'] as const
const LOST = ['waiting', 'unmatched']

const Notice = Shared('PaymentNotice', {
  id: Type.Integer(),
  provider: Type.String(),
  source: Type.String({ description: 'notice or statement' }),
  kind: Type.String({ description: 'payment, refund or dispute' }),
  order_number: Nullable(
    Type.String({ description: 'Number of the order. Null when the provider gave none' }),
  ),
  payment_number: Nullable(Type.String({ description: 'Number of the payment at the provider' })),
  amount: Nullable(
    Type.Integer({
      description: 'Amount at the provider, in the minor unit of the charged currency. Null for a dispute',
    }),
  ),
  state: Type.String({
    description:
      'waiting: the payment is unknown or unpaid; applied; unmatched: the notice concerns another payment than that of the order; foreign: nothing of this site',
  }),
  fault: Nullable(
    Type.String({
      description:
        'other_session: another checkout than that of the order; other_payment: another payment than that of the order',
    }),
  ),
  recharge_id: Nullable(Type.Integer()),
  received_at: Time,
})

const NoticeQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(STATES, { description: '`lost`: waiting or unmatched' })),
})

const view = ({ facts, ...row }: NoticeRow): Static<typeof Notice> => ({
  id: row.id,
  provider: row.provider,
  source: row.source,
  kind: kindOf(facts),
  order_number: row.order_number,
  payment_number: row.payment_number,
  amount: facts.refund?.amount ?? facts.stated?.amount ?? facts.refunded ?? facts.amount ?? null,
  state: row.state,
  fault: row.fault,
  recharge_id: row.recharge_id,
  received_at: wireTime(row.received_at),
})

function listNotices(sql: Db, query: Static<typeof NoticeQuery>) {
  const where = sql`where true ${ifGiven(sql, query.state, (state) => sql`and n.state = any(${state === 'lost' ? LOST : [state]}::text[])`)}
    ${ifGiven(sql, query.q, (part) => {
      const like = `%${escapeLike(part)}%`
      return sql`and (n.payment_number like ${like} or n.order_number like ${like})`
    })}`
  const list = { id: sql`n.id` }
  return pageOf<NoticeRow>(
    sql,
    sql`select n.* from payment_notices n ${where} ${listingClause(sql, query, list)}`,
    sql`select count(*)::int as total from payment_notices n ${where}`,
  )
}

const findNotice = async (sql: Db, id: number) =>
  (await sql<NoticeRow[]>`select * from payment_notices where id = ${id}`)[0]

export function adminNoticeRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/payment-notices',
    tag: 'Admin: money',
    ability: 'admin: recharges',
    subject: 'payment_notices',
    entity: 'PaymentNotice',
    noun: 'a notice of a payment provider',
    nouns: 'notices of payment providers',
    param: 'notice',
    item: Notice,
    query: NoticeQuery,
    list: listNotices,
    find: findNotice,
    view: async (rows) => rows.map(view),
  })
}
