import { carryOut, PLATFORM, unmendable } from '#modules/ledger/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { PinState, PinSubject } from './schema.ts'

export type PinRow = {
  id: number
  channel: string
  thing_id: number
  target_id: number
  user_id: number
  decider_id: number
  amount: number
  day: number
  /** The state that holds now (`stateNow`). */
  state: PinState
  expires_at: string | null
  decided_by: number | null
  decided_at: string | null
  created_at: string
  updated_at: string
}

/** The state that holds now: an active pin whose time is over is expired, whatever is kept. */
export const stateNow = (sql: Db) =>
  sql`case when p.state = 'active' and p.expires_at <= now() then 'expired' else p.state end`

/** The columns of a `PinRow`; `p` is the pin. */
export const pinColumns = (sql: Db) => sql`
  p.id, p.channel, p.thing_id, p.target_id, p.user_id, p.decider_id, p.amount, p.day, ${stateNow(sql)} as state,
  p.expires_at, p.decided_by, p.decided_at, p.created_at, p.updated_at`

const isShown = (sql: Db) => sql`p.state = 'active' and p.expires_at > now()`

export type NewPin = PinSubject & {
  channel: string
  userId: number
  amount: number
  day: number
  /** Pinned at once, by whom; else it waits. */
  activeBy: number | null
}

/**
 * Writes a request and puts its price into escrow, in one statement. `alive` selects what is to be pinned, locked
 * against being deleted meanwhile. No id: it is gone, or an open pin is in the way.
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
      select 0 as n, 'points' as currency, ${pin.userId}::bigint as from_id, ${PLATFORM.escrow}::bigint as to_id, amount,
        'pin' as kind, 'pins' as subject_type, id as subject_id, null::text as title, null::text as body
      from made where amount > 0
    ),
    ${carryOut(sql)}
    select exists (select from target) as alive, (select id from made) as id`
  return row
}

/** Brings the kept state of ended pins in line, of one target or of all. */
export async function expirePins(sql: Db, of?: { channel: string; targetId: number }): Promise<number> {
  const ended = await sql`
    update pins set state = 'expired', updated_at = now()
    where state = 'active' and expires_at <= now()
      ${of ? sql`and channel = ${of.channel} and target_id = ${of.targetId}` : sql``}`
  return ended.count
}

/** Whether a pin of this target waits or is shown. */
export async function hasOpenPin(sql: Db, channel: string, targetId: number): Promise<boolean> {
  const rows = await sql`
    select from pins p where p.channel = ${channel} and p.target_id = ${targetId}
      and (p.state = 'pending' or ${isShown(sql)})`
  return rows.length > 0
}

/**
 * Decides a waiting pin and moves its price out of escrow: to who decides on it or to the site, or back. Undefined when
 * it does not wait any more.
 */
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
      select 0 as n, 'points' as currency, ${PLATFORM.escrow}::bigint as from_id,
        ${accept ? sql`case decider_id when 0 then ${PLATFORM.income}::bigint else decider_id end` : sql`user_id`} as to_id,
        amount, ${accept ? 'pin:accepted' : 'pin:refunded'} as kind, 'pins' as subject_type, id as subject_id,
        null::text as title, null::text as body
      from decided where amount > 0
    ),
    ${carryOut(sql)}
    select * from decided`
  return row
}

/** Cancels pins and gives the price of those that waited back, in one statement. */
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
      select row_number() over (order by id)::int as n, 'points' as currency, ${PLATFORM.escrow}::bigint as from_id,
        user_id as to_id, amount, 'pin:refunded' as kind, 'pins' as subject_type, id as subject_id, null::text as title,
        null::text as body
      from gone where was = 'pending' and amount > 0
    ),
    ${carryOut(sql)}
    select count(*)::int as n from gone`
  return row.n
}

/** Lets somebody else decide on what waits under a thing, and be paid for it. */
export async function handOverPins(
  sql: Db,
  channel: string,
  contentId: number,
  deciderId: number,
): Promise<void> {
  await sql`
    update pins set decider_id = ${deciderId}, updated_at = now()
    where channel = ${channel} and thing_id = ${contentId} and state = 'pending'`
}

/** Ends an active pin before its time. False when there is none. */
export async function endPin(sql: Db, channel: string, targetId: number, by: number): Promise<boolean> {
  const ended = await sql`
    update pins p set state = 'expired', expires_at = now(), decided_by = ${by}, updated_at = now()
    where p.channel = ${channel} and p.target_id = ${targetId} and ${isShown(sql)}`
  return ended.count > 0
}

/** Lets an active pin last some days longer. False when there is none. */
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

/** A pin by its id, undefined when there is none. */
export async function findPin(sql: Db, id: number): Promise<PinRow | undefined> {
  const [row] = await sql<PinRow[]>`select ${pinColumns(sql)} from pins p where p.id = ${id}`
  return row
}

/** The pins shown now of one kind under a thing, dearest first. */
export async function findShownPins(sql: Db, channel: string, contentIds: number[]) {
  if (contentIds.length === 0) return new Map<number, number[]>()
  const rows = await sql<{ thing_id: number; target_id: number }[]>`
    select p.thing_id, p.target_id from pins p
    where p.channel = ${channel} and p.thing_id = any(${contentIds}) and ${isShown(sql)}
    order by p.amount desc, p.created_at desc, p.id desc limit 1000`
  return new Map(
    [...Map.groupBy(rows, (row) => row.thing_id)].map(([content, pins]) => [
      content,
      pins.map((pin) => pin.target_id),
    ]),
  )
}

/** Whether anything of a kind is pinned in the thing with the id of another statement. */
export const hasShownPin = (sql: Db, channel: string, contentId: Fragment): Fragment => sql`coalesce((
  select true from pins p where p.channel = ${channel} and p.thing_id = ${contentId} and ${isShown(sql)} limit 1
), false)`

/** What is pinned of one kind everywhere, dearest first. */
export const listShownPins = (sql: Db, channel: string, limit: number) => sql<{ target_id: number }[]>`
  select p.target_id from pins p where p.channel = ${channel} and ${isShown(sql)}
  order by p.amount desc, p.id desc limit ${limit}`

/** Pins that a person decides on: those that wait first, then the others, newest first. */
export async function listPinsToDecide(
  sql: Db,
  { deciderId, channel, after, limit }: { deciderId: number; channel: string; after: number; limit: number },
): Promise<PinRow[]> {
  const of = sql`p.decider_id = ${deciderId} and p.channel = ${channel}`
  const [cursor] =
    after > 0
      ? await sql<{ state: string }[]>`select p.state from pins p where p.id = ${after} and ${of}`
      : []
  const waiting = after === 0 || cursor?.state === 'pending'
  const below = after > 0 ? sql`and p.id < ${after}` : sql``
  return sql<PinRow[]>`
    (select ${pinColumns(sql)}, 0 as part from pins p where ${of} and p.state = 'pending' ${waiting ? below : sql`and false`}
      order by p.id desc limit ${limit})
    union all
    (select ${pinColumns(sql)}, 1 as part from pins p where ${of} and p.state <> 'pending' ${waiting ? sql`` : below}
      order by p.id desc limit ${limit})
    order by part, id desc limit ${limit}`
}

/** What one person asked to have pinned, newest first. */
export const listOwnPins = (
  sql: Db,
  { userId, channel, after, limit }: { userId: number; channel: string; after: number; limit: number },
) => sql<PinRow[]>`
  select ${pinColumns(sql)} from pins p
  where p.user_id = ${userId} and p.channel = ${channel} ${after > 0 ? sql`and p.id < ${after}` : sql``}
  order by p.id desc limit ${limit}`

/** How many requests wait for a person, and since when the newest does; those up to `since` were seen. */
export async function countWaiting(sql: Db, channel: string, deciderId: number, since: string | null) {
  const [row] = await sql<[{ count: number; time: string | null }]>`
    select count(*)::int as count, max(created_at) as time from pins
    where decider_id = ${deciderId} and channel = ${channel} and state = 'pending'
      ${since === null ? sql`` : sql`and created_at > ${since}`}`
  return row
}

/** What a day costs by the pins accepted in the last week; 100 when there is none (R §4.1). */
export async function findAverage(sql: Db, channel: string): Promise<number> {
  const [row] = await sql<[{ average: number }]>`
    select coalesce(ceil(sum(amount)::numeric / nullif(sum(day), 0)), 100)::bigint as average from pins
    where channel = ${channel} and created_at > now() - interval '7 days' and amount > 0
      and state in ('active', 'expired')`
  return row.average
}

/** Pins of which escrow holds something else than it should: the price while they wait, else nothing. */
const findEscrowDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, case p.state when 'pending' then p.amount else 0 end as kept,
    coalesce(l.total, 0)::bigint as counted
  from pins p left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM.escrow} and subject_type = 'pins' group by subject_id
  ) l on l.subject_id = p.id
  where case p.state when 'pending' then p.amount else 0 end <> coalesce(l.total, 0)
  order by p.id limit 100`

/** Pins that their applicant paid otherwise than their state says. */
const findPaymentDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, p.due as kept, coalesce(-l.total, 0)::bigint as counted
  from (
    -- What was ended by the deletion of a comment had been paid for.
    select id, user_id, case when state in ('pending', 'active', 'expired') or (state = 'cancelled' and decided_at is not null)
      then amount else 0 end as due
    from pins
  ) p left join (
    select subject_id, owner_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'pins' and kind in ('pin', 'pin:refunded') group by subject_id, owner_id
  ) l on l.subject_id = p.id and l.owner_id = p.user_id
  where p.due <> coalesce(-l.total, 0)
  order by p.id limit 100`

/** What the audit of the ledger checks of pins. */
export const pinChecks: CounterCheck[] = [
  unmendable('pins.escrow', findEscrowDrift),
  unmendable('pins.paid', findPaymentDrift),
]
