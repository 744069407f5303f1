import { PLATFORM, unmendable } from '#modules/ledger/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'

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
    select id, user_id, case when settled_before then 0 when state in ('pending', 'active', 'expired') or (state = 'cancelled' and decided_at is not null)
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
