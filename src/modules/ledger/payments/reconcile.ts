import type { Probe } from '#contracts/health-check.ts'
import { messageOf } from '#lib/faults.ts'
import { databaseTime } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import { explainError } from '#platform/health'
import { findLostNotices, type LostNotice, receiveNotice } from './notices.ts'
import { configuredServices, PaymentFault, paymentService, type StatementLine } from './providers/choose.ts'
import { type NewDifference, type PaymentRow, recordDifference, takeDuePayments } from './queries.ts'
import { isOwnOrder, logFault, queryPayment } from './service.ts'

const AT_ONCE = 100
/**
 * Number of past days whose statements are compared, so that an outage of a few days at the provider skips no
 * statement.
 */
const DAYS = 7
/** Number of past days whose statements are compared after a longer outage, or after a restore of an old backup. */
const MOST_DAYS = 62
const DAY_MS = 86_400_000

export async function queryDuePayments(ctx: Context): Promise<void> {
  for (let rows: PaymentRow[]; ; ) {
    rows = await takeDuePayments(ctx.sql, AT_ONCE)
    for (const row of rows) {
      try {
        await queryPayment(ctx, row)
      } catch (error) {
        logFault(ctx, row, error)
      }
    }
    if (rows.length < AT_ONCE) return
  }
}

async function findListed(sql: Db, provider: string, lines: StatementLine[]): Promise<PaymentRow[]> {
  return sql<PaymentRow[]>`
    select * from payments
    where provider = ${provider} and (payment_number = any(${lines.map(({ payment }) => payment)}::text[])
      or order_number = any(${lines.flatMap(({ order }) => order ?? [])}::text[]))`
}

type Found = Pick<NewDifference, 'kind' | 'number' | 'recharge_id' | 'expected' | 'found' | 'found_currency'>

function sumRefunds(lines: StatementLine[]): StatementLine[] {
  const sums = new Map<string, StatementLine>()
  for (const line of lines)
    if (line.kind === 'refund')
      sums.set(line.payment, { ...line, amount: line.amount + (sums.get(line.payment)?.amount ?? 0) })
  return [...lines.filter(({ kind }) => kind !== 'refund'), ...sums.values()]
}

function compareLines(lines: StatementLine[], rows: PaymentRow[]): Found[] {
  const byNumber = new Map(
    rows.flatMap((row) => [
      [row.order_number, row] as const,
      ...(row.payment_number === null ? [] : [[row.payment_number, row] as const]),
    ]),
  )
  return sumRefunds(lines).flatMap((line): Found[] => {
    const row = byNumber.get(line.payment) ?? byNumber.get(line.order ?? '')
    const { kind, payment: number, amount } = line
    const said = { number, found: amount, found_currency: line.currency || null }
    if (kind === 'dispute') return []
    if (kind === 'refund')
      return row && row.refunded < amount
        ? [{ ...said, kind: 'refund', recharge_id: row.recharge_id, expected: row.refunded }]
        : []
    if (kind === 'refund_failed' || kind === 'payment_failed') {
      if (!row) return []
      const expected = kind === 'refund_failed' ? row.refunded : row.charged
      return [{ ...said, kind, number: line.refund ?? number, recharge_id: row.recharge_id, expected }]
    }
    // Ignores orders of other systems that share the provider account.
    if (!row && !isOwnOrder(line.order ?? '')) return []
    if (!row || (row.payment_number !== null && row.payment_number !== number))
      return [{ ...said, kind: 'unknown', recharge_id: row?.recharge_id ?? null, expected: null }]
    const told = { ...said, recharge_id: row.recharge_id, expected: row.charged }
    if (amount !== row.charged || line.currency !== row.charge_currency) return [{ ...told, kind: 'amount' }]
    const isCredited = ['credited', 'refunded', 'disputed'].includes(row.state) && row.fault === null
    return isCredited ? [] : [{ ...told, kind: 'uncredited' }]
  })
}

/** Applies refunds and disputes of the statement, whose notices may be lost. */
async function applyNews(ctx: Context, provider: string, lines: StatementLine[]): Promise<void> {
  for (const { news, order, payment } of lines)
    if (news && (order === undefined || isOwnOrder(order)))
      await receiveNotice(ctx, provider, 'statement', {
        ...(order === undefined ? {} : { order }),
        payment,
        status: 'unknown',
        ...news,
      })
}

/**
 * Queries the provider about orders on the statement that Kith counts as unpaid, and applies refunds and disputes
 * (money-25). Then compares the statement.
 */
export async function compareStatement(ctx: Context, provider: string, day: string): Promise<number> {
  const service = await paymentService(ctx.config.payments, provider)
  if (!service) return 0
  const lines = await service.stated.lines(day)
  for (const row of await findListed(ctx.sql, provider, lines))
    if (row.payment_number === null)
      try {
        await queryPayment(ctx, row)
      } catch (error) {
        logFault(ctx, row, error)
      }
  await applyNews(ctx, provider, lines)
  return transaction(ctx.sql, async (tx) => {
    const rows = await findListed(tx, provider, lines)
    const found = compareLines(lines, rows)
    const paid = lines.flatMap(({ kind, payment }) => (kind === 'payment' ? [payment] : []))
    await tx`
      update payments set stated_on = ${day}::date
      where provider = ${provider} and payment_number = any(${paid}::text[]) and stated_on is null`
    const fees = lines.flatMap(({ kind, payment, fee }) =>
      kind === 'payment' && fee ? [{ payment, ...fee }] : [],
    )
    await tx`
      update payments p set provider_fee = f.amount, fee_currency = f.currency
      from jsonb_to_recordset(${tx.json(fees)}) as f (payment text, amount bigint, currency text)
      where p.provider = ${provider} and p.payment_number = f.payment`
    // Checks payments made two days before the statement's day, because a payment near midnight may be on
    // the next day's statement.
    const missing = await tx<PaymentRow[]>`
      select * from payments
      where provider = ${provider} and stated_on is null and paid_at >= ${day}::date - interval '2 days'
        and paid_at < ${day}::date - interval '1 day'`
    found.push(
      ...missing.map(
        (row): Found => ({
          kind: 'missing',
          number: row.payment_number ?? row.order_number,
          recharge_id: row.recharge_id,
          expected: row.charged,
          found: null,
          found_currency: null,
        }),
      ),
    )
    for (const each of found) await recordDifference(tx, { provider, day, ...each })
    await tx`
      insert into payment_statements as s (provider, day, lines, differences)
      values (${provider}, ${day}, ${lines.length}, ${found.length})
      on conflict (provider, day) do update set lines = excluded.lines, differences = excluded.differences,
        created_at = excluded.created_at`
    return found.length
  })
}

async function findUncompared(ctx: Context, provider: string): Promise<string[]> {
  const service = await paymentService(ctx.config.payments, provider)
  const done = await ctx.sql<{ day: string }[]>`
    select day::text from payment_statements where provider = ${provider} and day > current_date - ${MOST_DAYS + 2}::int
    order by day`
  const [first] = await ctx.sql<{ day: string | null }[]>`
    select min(created_at at time zone 'UTC')::date::text as day from payments where provider = ${provider}`
  // A node whose clock is ahead would compare days whose statements are incomplete, and never again.
  const now = await databaseTime(ctx.sql)
  const last = done.at(-1)?.day
  const behind = last === undefined ? 0 : Math.ceil((now - Date.parse(last)) / DAY_MS) - 1
  const days = Math.min(MOST_DAYS, Math.max(DAYS, behind))
  return Array.from({ length: days }, (_, n) =>
    new Date(now - (days - n) * DAY_MS).toISOString().slice(0, 10),
  ).filter(
    (day) =>
      service !== undefined &&
      first?.day != null &&
      day >= first.day &&
      service.stated.readyAt(day).getTime() <= now &&
      !done.some((each) => each.day === day),
  )
}

export async function compareStatements(ctx: Context): Promise<void> {
  for (const provider of configuredServices(ctx.config.payments))
    for (const day of await findUncompared(ctx, provider))
      try {
        await compareStatement(ctx, provider, day)
      } catch (error) {
        if (!(error instanceof PaymentFault)) throw error
        ctx.log.warn({ provider, day, reason: error.message }, 'comparing a statement failed')
      }
}

export const paymentProbe: Probe = {
  part: 'payments',
  settings: 'the settings of the payment providers (docs/payments.md)',
  worksAlone: true,
  isUsed: ({ config }) => configuredServices(config.payments).length > 0,
  services: ({ config }) => configuredServices(config.payments),
  async check({ config }) {
    const faults: string[] = []
    for (const name of configuredServices(config.payments))
      try {
        await (await paymentService(config.payments, name))?.check()
      } catch (error) {
        faults.push(`${name}: ${explainError(error, name)?.message ?? messageOf(error)}`)
      }
    if (faults.length > 0) throw new Error(faults.join('; '))
  },
}

export type PaymentHealth = {
  provider: string
  fault: string | null
  waiting: number
  uncredited: number
  differences: number
  refunds: number
  disputes: number
  last_statement: string | null
  /** Number of notices that found no payment, with the latest of them. */
  lost: { count: number; notices: LostNotice[] }
}

export async function paymentHealth(ctx: Context): Promise<PaymentHealth[]> {
  const states: PaymentHealth[] = []
  for (const provider of configuredServices(ctx.config.payments)) {
    const service = await paymentService(ctx.config.payments, provider)
    const fault = await service?.check().then(
      () => null,
      (error: unknown) => {
        if (error instanceof PaymentFault) return error.message
        throw error
      },
    )
    const [counts] = await ctx.sql<[Omit<PaymentHealth, 'provider' | 'fault' | 'lost'>]>`
      select
        (select count(*)::int from payments
          where provider = ${provider} and state in ('opened', 'pending') and expires_at < now() - interval '1 hour') as waiting,
        (select count(*)::int from payments where provider = ${provider} and state = 'paid') as uncredited,
        (select count(*)::int from payment_differences where provider = ${provider} and resolved_at is null) as differences,
        (select count(*)::int from payment_refunds
          where provider = ${provider} and state = 'asked' and created_at < now() - interval '1 day') as refunds,
        (select count(*)::int from payments where provider = ${provider} and state = 'disputed') as disputes,
        (select max(day)::text from payment_statements where provider = ${provider}) as last_statement`
    const lost = await findLostNotices(ctx.sql, provider)
    states.push({ provider, fault: fault ?? null, ...counts, lost })
  }
  return states
}
