import type { Db, Tables } from '#platform/database'
import type { Currency } from '../schema.ts'
import type { PaymentFacts } from './providers/choose.ts'

export type PaymentRow = Tables['payments'] & {
  state: 'opened' | 'pending' | 'paid' | 'credited' | 'expired' | 'failed' | 'refunded' | 'disputed'
  dispute: 'open' | 'won' | 'lost' | null
}

export type NewPayment = Pick<
  PaymentRow,
  'recharge_id' | 'provider' | 'method' | 'order_number' | 'charged' | 'charge_currency'
>

const MINUTES_TO_PAY = 120

export async function insertPayment(sql: Db, given: NewPayment): Promise<PaymentRow> {
  const [row] = await sql<[PaymentRow]>`
    insert into payments (recharge_id, provider, method, order_number, charged, charge_currency, expires_at, ask_at)
    values (${given.recharge_id}, ${given.provider}, ${given.method}, ${given.order_number}, ${given.charged},
      ${given.charge_currency}, now() + make_interval(mins => ${MINUTES_TO_PAY}), now() + interval '1 minute')
    returning *`
  return row
}

export async function markPending(sql: Db, id: number, session: string | null): Promise<void> {
  await sql`
    update payments set session = ${session}, state = case state when 'opened' then 'pending' else state end,
      updated_at = now()
    where recharge_id = ${id}`
}

/**
 * Serializes what the provider says about one payment. Otherwise a dispute and the payment that it concerns could
 * arrive at the same time and miss each other.
 */
export async function lockPaymentNumber(sql: Db, provider: string, payment: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${payment}`}, 4128))`
}

export async function lockPayment(
  sql: Db,
  provider: string,
  { order = '', payment = '' }: { order?: string; payment?: string },
): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`
    select * from payments
    where provider = ${provider} and (order_number = ${order} or payment_number = ${payment})
    order by order_number = ${order} desc limit 1
    for update`
  return row
}

export type NoticeRow = Omit<Tables['payment_notices'], 'facts'> & { facts: PaymentFacts }

/** Stores a report of the provider before it is applied. Returns the stored row when the provider repeats it. */
export async function keepNotice(
  sql: Db,
  provider: string,
  source: 'notice' | 'statement',
  facts: PaymentFacts,
): Promise<NoticeRow> {
  const [row] = await sql<[NoticeRow]>`
    insert into payment_notices as n (provider, source, digest, order_number, payment_number, facts)
    values (${provider}, ${source}, sha256(convert_to(${JSON.stringify(facts)}, 'UTF8')), ${facts.order || null},
      ${facts.payment || null}, ${sql.json(facts)})
    on conflict (provider, digest) do update set received_at = n.received_at
    returning *`
  return row
}

export const findWaitingNotices = (sql: Db, { provider, payment_number, order_number }: PaymentRow) => sql<
  NoticeRow[]
>`
  select * from payment_notices
  where provider = ${provider} and state = 'waiting'
    and (payment_number = ${payment_number} or order_number = ${order_number})
  order by id for update`

export type NoticeOutcome = {
  /** `waiting`: the payment is unknown or unpaid. `foreign`: an order or an unpaid checkout of another system. */
  state: 'waiting' | 'applied' | 'unmatched' | 'foreign'
  fault?: 'other_session' | 'other_payment'
  row?: PaymentRow
}

export async function settleNotice(sql: Db, id: number, outcome: NoticeOutcome): Promise<void> {
  if (outcome.state === 'waiting') return
  await sql`
    update payment_notices set state = ${outcome.state}, fault = ${outcome.fault ?? null},
      recharge_id = ${outcome.row?.recharge_id ?? null}
    where id = ${id}`
}

/** Sums what the stored notices of lost disputes reclaim, once for each dispute. */
export async function sumLostClaims(sql: Db, provider: string, payment: string): Promise<number> {
  const [{ sum }] = await sql<[{ sum: number }]>`
    select coalesce(sum(amount), 0)::bigint as sum from (
      select max((facts->'claim'->>'amount')::bigint) as amount from payment_notices
      where provider = ${provider} and payment_number = ${payment} and facts->>'dispute' = 'lost' and facts ? 'claim'
      group by facts->'claim'->>'number'
    ) lost`
  return sum
}

/** Sums the refunds that statements list. The provider may have made more. */
export async function sumStatedRefunds(sql: Db, provider: string, payment: string): Promise<number> {
  const [{ sum }] = await sql<[{ sum: number }]>`
    select coalesce(sum((facts->'stated'->>'amount')::bigint), 0)::bigint as sum from payment_notices
    where provider = ${provider} and payment_number = ${payment} and facts ? 'stated'`
  return sum
}

/**
 * Condition that the provider is to be asked now. A time beyond the longest backoff comes from a database whose clock was
 * ahead.
 */
const isDue = (sql: Db, most: number) =>
  sql`ask_at not between now() and now() + make_interval(mins => ${most + 1})`

const NOTICE_BACKOFF = 1440
const BACKOFF = 60

/**
 * Claims waiting notices that are due for another search for their payment. Schedules the next search with a
 * backoff of up to a day.
 */
export const takeDueNotices = (sql: Db, limit: number) => sql<NoticeRow[]>`
  update payment_notices n set asks = n.asks + 1,
    ask_at = now() + make_interval(mins => least(${NOTICE_BACKOFF}, (2 ^ least(n.asks, 11))::int))
  from (
    select id from payment_notices where state = 'waiting' and ${isDue(sql, NOTICE_BACKOFF)}
    order by ask_at limit ${limit} for update skip locked
  ) due
  where n.id = due.id
  returning n.*`

export async function findPayment(sql: Db, provider: string, order: string): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`
    select * from payments where provider = ${provider} and order_number = ${order}`
  return row
}

export async function savePayment(sql: Db, row: PaymentRow): Promise<void> {
  await sql`
    update payments set state = ${row.state}, payment_number = ${row.payment_number}, fault = ${row.fault},
      refunded = ${row.refunded}, told_refunded = ${row.told_refunded}, lost_amount = ${row.lost_amount},
      dispute = ${row.dispute}, dispute_number = ${row.dispute_number}, paid_at = coalesce(paid_at, ${
        row.payment_number === null ? null : sql`now()`
      }), updated_at = now()
    where recharge_id = ${row.recharge_id}`
}

export async function isPaymentUsed(
  sql: Db,
  provider: string,
  payment: string,
  id: number,
): Promise<boolean> {
  const [row] = await sql<[{ used: boolean }]>`
    select exists (select from payments where provider = ${provider} and payment_number = ${payment} and recharge_id <> ${id})
      or exists (select from recharges where provider in (
          select method from payments where provider = ${provider} and recharge_id = ${id}
        ) and reference = ${payment} and id <> ${id}) as used`
  return row.used
}

/**
 * Confirms a recharge, even a closed one whose payment arrived late. Returns undefined if the recharge is
 * already confirmed.
 */
export async function confirmPaid(
  sql: Db,
  id: number,
  payment: string,
): Promise<{ owner_id: number; currency: Currency; credited: number } | undefined> {
  const [row] = await sql<{ owner_id: number; currency: Currency; credited: number }[]>`
    update recharges set state = 'confirmed', reference = ${payment}, decided_at = now(), updated_at = now()
    where id = ${id} and state <> 'confirmed'
    returning owner_id, currency, credited`
  return row
}

export async function lockPaymentOf(sql: Db, id: number): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`select * from payments where recharge_id = ${id} for update`
  return row
}

type ReportedRefund = { number: string; amount: number; state: 'waiting' | 'done' | 'refused' }

export async function findReportedRefund(
  sql: Db,
  provider: string,
  number: string,
): Promise<{ id: number; state: string } | undefined> {
  const [row] = await sql<{ id: number; state: string }[]>`
    select id, state from payment_refunds where provider = ${provider} and refund_number = ${number}`
  return row
}

/** Stores a refund as done. Overwrites a stored rejection, because the provider may report success later. */
export async function recordRefund(
  sql: Db,
  { recharge_id, provider }: PaymentRow,
  { number, amount }: ReportedRefund,
): Promise<void> {
  await sql`
    insert into payment_refunds (recharge_id, provider, refund_number, amount, state)
    values (${recharge_id}, ${provider}, ${number}, ${amount}, 'done')
    on conflict (provider, refund_number) do update set state = 'done', fault = null, updated_at = excluded.updated_at`
}

/**
 * Claims refunds that are due for another request to the provider. Schedules the next request with a backoff of up
 * to 60 minutes.
 */
export const takeDueRefunds = (sql: Db, limit: number) => sql<
  (Tables['payment_refunds'] & { state: 'asked' })[]
>`
  update payment_refunds r set asks = r.asks + 1,
    ask_at = now() + make_interval(mins => least(${BACKOFF}, (2 ^ least(r.asks, 6))::int))
  from (
    select id from payment_refunds where state = 'asked' and ${isDue(sql, BACKOFF)}
    order by ask_at limit ${limit} for update skip locked
  ) due
  where r.id = due.id
  returning r.*`

export const findDisputed = (sql: Db, provider: string, after: number, limit: number) => sql<PaymentRow[]>`
  select * from payments
  where provider = ${provider} and state = 'disputed' and recharge_id > ${after}
  order by recharge_id limit ${limit}`

export async function findReceipt(sql: Db, id: number) {
  const [row] = await sql<
    (Pick<Tables['recharges'], 'owner_id' | 'currency' | 'amount' | 'credited'> &
      Pick<PaymentRow, 'provider' | 'order_number' | 'payment_number' | 'charge_currency' | 'paid_at'>)[]
  >`
    select r.owner_id, r.currency, r.amount, r.credited, p.provider, p.order_number, p.payment_number,
      p.charge_currency, p.paid_at
    from payments p join recharges r on r.id = p.recharge_id
    where p.recharge_id = ${id} and p.payment_number is not null and p.fault is null`
  return row
}

export async function closeUnpaid(sql: Db, id: number): Promise<void> {
  await sql`
    update recharges set state = 'rejected', decided_at = now(), updated_at = now()
    where id = ${id} and state = 'pending'`
}

/**
 * Claims payments that are due for a status query. Schedules the next query with a backoff of up to 60
 * minutes.
 */
export const takeDuePayments = (sql: Db, limit: number) => sql<PaymentRow[]>`
  update payments p set asks = p.asks + 1,
    ask_at = now() + make_interval(mins => least(${BACKOFF}, (2 ^ least(p.asks, 6))::int))
  from (
    select recharge_id from payments where state in ('opened', 'pending') and ${isDue(sql, BACKOFF)}
    order by ask_at limit ${limit} for update skip locked
  ) due
  where p.recharge_id = due.recharge_id
  returning p.*`

export async function takeForAsking(sql: Db, id: number): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`
    update payments set ask_at = now() + interval '1 minute', asks = greatest(asks, 1), updated_at = now()
    where recharge_id = ${id} and state in ('opened', 'pending')
      and (asks = 0 or updated_at not between now() - interval '3 seconds' and now() + interval '1 minute')
    returning *`
  return row
}

export type NewDifference = {
  provider: string
  day: string
  kind: 'unknown' | 'amount' | 'uncredited' | 'refund' | 'missing' | 'refund_failed' | 'payment_failed'
  number: string
  recharge_id: number | null
  expected: number | null
  found: number | null
  found_currency: string | null
}

export async function recordDifference(sql: Db, given: NewDifference): Promise<void> {
  await sql`
    insert into payment_differences as d (provider, day, kind, number, recharge_id, expected, found, found_currency)
    values (${given.provider}, ${given.day}, ${given.kind}, ${given.number}, ${given.recharge_id},
      ${given.expected}, ${given.found}, ${given.found_currency})
    on conflict (provider, kind, number) do update set expected = excluded.expected, found = excluded.found,
      found_currency = excluded.found_currency, resolved_at = null, resolved_by = null, remark = null
    where (d.expected, d.found) is distinct from (excluded.expected, excluded.found)`
}
