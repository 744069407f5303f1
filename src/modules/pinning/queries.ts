import type { CounterCheck, Drift } from '#contracts/counters.ts'
import type { Queue } from '#contracts/statistics.ts'
import { movementsClause, PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import { type Db, type Fragment, ifGiven, type Tables } from '#platform/database'
import type { PinState, PinSubject } from './schema.ts'

export type PinRow = Tables['pins'] & { state: PinState }

/** Effective state. An active pin past its end is expired, even while the stored state is active. */
export const stateNow = (sql: Db) =>
  sql`case when p.state = 'active' and p.expires_at <= now() then 'expired' else p.state end`

export const pinColumns = (sql: Db) => sql`
  p.id, p.channel, p.thing_id, p.target_id, p.user_id, p.decider_id, p.amount, p.day, ${stateNow(sql)} as state,
  p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const isShown = (sql: Db) => sql`p.state = 'active' and p.expires_at > now()`

/** Selects the content of each pin. A pin of a comment ends with the comment, and with the content above it. */
export const selectPinContents = (sql: Db, kinds: { type: string; channel: string }[]): Fragment =>
  kinds
    .flatMap(({ type, channel }) => {
      const ofComments = `${channel}:comment`
      return [
        // `thing_id` of a pinned post is its group.
        sql`select id, ${type} as content_type, target_id as content_id from pins where channel = ${channel}`,
        sql`select id, ${type} as content_type, thing_id as content_id from pins where channel = ${ofComments}`,
        sql`select id, 'comments' as content_type, target_id as content_id from pins where channel = ${ofComments}`,
      ]
    })
    .reduce((all, part) => sql`${all} union all ${part}`)

type NewPin = PinSubject & {
  channel: string
  userId: number
  amount: number
  day: number
  activeBy: number | null
}

/**
 * Inserts a pending or active pin and moves its price into escrow. Returns no id when the target is deleted or has
 * an open pin.
 */
export async function insertPin(
  sql: Db,
  alive: Fragment,
  pin: NewPin,
): Promise<{ alive: boolean; id: number | null }> {
  const active = pin.activeBy !== null
  const [row] = await sql<[{ alive: boolean; id: number | null }]>`
    with target as materialized (${alive}),
    made as (
      insert into pins (channel, thing_id, target_id, user_id, decider_id, amount, day, state, expires_at, decided_by,
        decided_at)
      select ${pin.channel}, ${pin.contentId}::bigint, ${pin.targetId}::bigint, ${pin.userId}::bigint,
        ${pin.deciderId}::bigint, ${pin.amount}::bigint, ${pin.day}::int, ${active ? 'active' : 'pending'},
        ${active ? sql`now() + make_interval(days => ${pin.day})` : sql`null::timestamptz`}, ${pin.activeBy}::bigint,
        ${active ? sql`now()` : sql`null::timestamptz`}
      from target
      on conflict (channel, target_id) where state in ('pending', 'active') do nothing
      returning id, amount
    ),
    moves as materialized (
      select 0 as n, 'points' as currency, ${pin.userId}::bigint as from_id, ${PLATFORM_ACCOUNTS.escrow}::bigint as to_id, amount,
        'pin' as kind, 'pins' as subject_type, id as subject_id, null::text as title, null::text as body
      from made where amount > 0
    ),
    ${movementsClause(sql)}
    select exists (select from target) as alive, (select id from made) as id`
  return row
}

export async function expirePins(sql: Db, of?: { channel: string; targetId: number }): Promise<number> {
  const ended = await sql`
    update pins set state = 'expired', updated_at = now()
    where state = 'active' and expires_at <= now()
      ${ifGiven(sql, of, ({ channel, targetId }) => sql`and channel = ${channel} and target_id = ${targetId}`)}`
  return ended.count
}

export async function hasOpenPin(sql: Db, channel: string, targetId: number): Promise<boolean> {
  const rows = await sql`
    select from pins p where p.channel = ${channel} and p.target_id = ${targetId}
      and (p.state = 'pending' or ${isShown(sql)})`
  return rows.length > 0
}

/** Decides a pending pin. Pays the decider or the site on acceptance, and refunds the applicant otherwise. */
export async function decidePin(
  sql: Db,
  id: number,
  { accept, by }: { accept: boolean; by: number },
): Promise<PinRow | undefined> {
  const [row] = await sql<PinRow[]>`
    with decided as (
      update pins p set decided_by = ${by}, decided_at = now(), updated_at = now(),
        ${
          accept
            ? sql`state = 'active', expires_at = now() + make_interval(days => day)`
            : sql`state = 'rejected'`
        }
      where p.id = ${id} and p.state = 'pending'
      returning ${pinColumns(sql)}
    ),
    moves as materialized (
      select 0 as n, 'points' as currency, ${PLATFORM_ACCOUNTS.escrow}::bigint as from_id,
        ${accept ? sql`case decider_id when 0 then ${PLATFORM_ACCOUNTS.income}::bigint else decider_id end` : sql`user_id`} as to_id,
        amount, ${accept ? 'pin:accepted' : 'pin:refunded'} as kind, 'pins' as subject_type, id as subject_id,
        null::text as title, null::text as body
      from decided where amount > 0
    ),
    ${movementsClause(sql)}
    select * from decided`
  return row
}

export async function cancelWhere(sql: Db, which: Fragment): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    with held as materialized (
      select p.id, p.state from pins p where ${which} order by p.id for update
    ),
    gone as (
      update pins p set state = 'cancelled', updated_at = now() from held h
      where p.id = h.id and p.state in ('pending', 'active')
      returning p.id, p.user_id, p.amount, h.state as was
    ),
    moves as materialized (
      select row_number() over (order by id)::int as n, 'points' as currency, ${PLATFORM_ACCOUNTS.escrow}::bigint as from_id,
        user_id as to_id, amount, 'pin:refunded' as kind, 'pins' as subject_type, id as subject_id, null::text as title,
        null::text as body
      from gone where was = 'pending' and amount > 0
    ),
    ${movementsClause(sql)}
    select count(*)::int as n from gone`
  return row.n
}

/** Assigns pending pins to another decider, who then receives the price on acceptance. */
export async function reassignPins(
  sql: Db,
  channel: string,
  contentId: number,
  deciderId: number,
): Promise<void> {
  await sql`
    update pins set decider_id = ${deciderId}, updated_at = now()
    where channel = ${channel} and thing_id = ${contentId} and state = 'pending'`
}

export async function endPin(sql: Db, channel: string, targetId: number, by: number): Promise<boolean> {
  const ended = await sql`
    update pins p set state = 'expired', expires_at = now(), decided_by = ${by}, updated_at = now()
    where p.channel = ${channel} and p.target_id = ${targetId} and ${isShown(sql)}`
  return ended.count > 0
}

export async function extendPin(
  sql: Db,
  channel: string,
  targetId: number,
  days: number,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    update pins p set expires_at = p.expires_at + make_interval(days => ${days}), updated_at = now()
    where p.channel = ${channel} and p.target_id = ${targetId} and ${isShown(sql)}
    returning p.id`
  return row?.id
}

export async function findPin(sql: Db, id: number): Promise<PinRow | undefined> {
  const [row] = await sql<PinRow[]>`select ${pinColumns(sql)} from pins p where p.id = ${id}`
  return row
}

/** Subquery `p` of the active pins of a channel. */
export const selectShownPins = (sql: Db, channel: string): Fragment => sql`(
  select p.id, p.thing_id, p.target_id, p.user_id, p.amount, p.created_at from pins p
  where p.channel = ${channel} and ${isShown(sql)}
) p`

export const orderByPrice = (sql: Db): Fragment => sql`p.amount desc, p.created_at desc, p.id desc`

export async function findShownPins(sql: Db, channel: string, contentIds: number[]) {
  if (contentIds.length === 0) return new Map<number, number[]>()
  const rows = await sql<{ thing_id: number; target_id: number }[]>`
    select p.thing_id, p.target_id from ${selectShownPins(sql, channel)}
    where p.thing_id = any(${contentIds}) order by ${orderByPrice(sql)} limit 1000`
  return new Map(
    [...Map.groupBy(rows, (row) => row.thing_id)].map(([content, pins]) => [
      content,
      pins.map((pin) => pin.target_id),
    ]),
  )
}

export const findShownPinsOf = async (sql: Db, channel: string, contentId: number): Promise<number[]> =>
  (await findShownPins(sql, channel, [contentId])).get(contentId) ?? []

/** Whether the channel has any active pin. PostgreSQL evaluates the condition once per statement. */
export const anyPinShown = (sql: Db, channel: string): Fragment =>
  sql`exists (select from ${selectShownPins(sql, channel)})`

/** Whether the channel has an active pin on the content or, for comment pins, on a comment of the content. */
export const sqlHasShownPin = (sql: Db, channel: string, contentId: Fragment): Fragment => sql`coalesce((
  select true from pins p where p.channel = ${channel} and p.thing_id = ${contentId} and ${isShown(sql)} limit 1
), false)`

/**
 * Averages the daily price of accepted paid pins that were requested in the last seven days. Returns 100 without
 * such pins (pins-10).
 */
export async function findAverageDailyPrice(sql: Db, channel: string): Promise<number> {
  const [row] = await sql<[{ average: number }]>`
    select coalesce(ceil(sum(amount)::numeric / nullif(sum(day), 0)), 100)::bigint as average from pins
    where channel = ${channel} and created_at > now() - interval '7 days' and amount > 0
      and state in ('active', 'expired')`
  return row.average
}

/** Finds pins whose escrow balance is wrong. Escrow holds the price of pending pins only. */
const findEscrowDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, case p.state when 'pending' then p.amount else 0 end as kept,
    coalesce(l.total, 0)::bigint as counted
  from pins p left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = 'pins' group by subject_id
  ) l on l.subject_id = p.id
  where case p.state when 'pending' then p.amount else 0 end <> coalesce(l.total, 0)
  order by p.id limit 100`

const findPaymentDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, p.due as kept, coalesce(-l.total, 0)::bigint as counted
  from (
    select id, user_id, case when settled_before then 0 when state in ('pending', 'active', 'expired') or (state = 'cancelled' and decided_at is not null)
      then amount else 0 end as due
    from pins
  ) p left join (
    select subject_id, owner_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'pins' and kind in ('pin', 'pin:refunded') group by subject_id, owner_id
  ) l on l.subject_id = p.id and l.owner_id = p.user_id
  where p.due <> coalesce(-l.total, 0)
  order by p.id limit 100`

export const pinChecks: CounterCheck[] = [
  unrepairable('pins.escrow', findEscrowDrift),
  unrepairable('pins.paid', findPaymentDrift),
]

export const pinQueue = (channel: string, ability: string): Queue => ({
  name: `${channel}-pins`,
  ability,
  waiting: (sql) => sql`
    select created_at as since from pins
    where decider_id = 0 and channel = ${channel} and state = 'pending' order by id`,
})
