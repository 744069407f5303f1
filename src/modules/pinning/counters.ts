import type { CounterCheck, Drift } from '#contracts/counters.ts'
import type { Queue } from '#contracts/statistics.ts'
import { PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database'

/** Pins with a wrong amount in escrow: it must be the price while they wait, else zero. */
const findEscrowDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, case p.state when 'pending' then p.amount else 0 end as kept,
    coalesce(l.total, 0)::bigint as counted
  from pins p left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = 'pins' group by subject_id
  ) l on l.subject_id = p.id
  where case p.state when 'pending' then p.amount else 0 end <> coalesce(l.total, 0)
  order by p.id limit 100`

/** Pins with a payment that contradicts their state. */
const findPaymentDrift = (sql: Db) => sql<Drift[]>`
  select p.id::text as key, p.due as kept, coalesce(-l.total, 0)::bigint as counted
  from (
    -- A pin that ended with its deleted comment was paid for.
    select id, user_id, case when settled_before then 0 when state in ('pending', 'active', 'expired') or (state = 'cancelled' and decided_at is not null)
      then amount else 0 end as due
    from pins
  ) p left join (
    select subject_id, owner_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'pins' and kind in ('pin', 'pin:refunded') group by subject_id, owner_id
  ) l on l.subject_id = p.id and l.owner_id = p.user_id
  where p.due <> coalesce(-l.total, 0)
  order by p.id limit 100`

/** Ledger audit checks of pins. */
export const pinChecks: CounterCheck[] = [
  unrepairable('pins.escrow', findEscrowDrift),
  unrepairable('pins.paid', findPaymentDrift),
]

/** Queue of pin requests of one channel for administrators. */
export const pinQueue = (channel: string, ability: string): Queue => ({
  name: `${channel}-pins`,
  ability,
  waiting: (sql) => sql`
    select created_at as since from pins
    where decider_id = 0 and channel = ${channel} and state = 'pending' order by id`,
})
