import { personRecount } from '#modules/accounts/index.ts'
import { unmendable } from '#modules/ledger/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import { CHECKINS } from './queries.ts'

/** The counter that check-ins keep. */
export const checkinCounters: CounterCheck[] = [
  personRecount(
    'checkin_count',
    (sql) => sql`select user_id as key, count(*) as n from checkin_logs group by 1`,
  ),
]

/** What the audit of the ledger checks of check-ins: each was paid, once, and nothing else was. */
export const checkinChecks: CounterCheck[] = [
  unmendable(
    'checkin_logs.paid',
    (sql) => sql<Drift[]>`
      select coalesce(l.id, p.id) || ' ' || coalesce(l.currency, p.currency) as key, coalesce(l.amount, 0) as kept,
        coalesce(p.total, 0)::bigint as counted
      from (select * from checkin_logs where not settled_before) l full join (
        select subject_id as id, currency, owner_id, sum(amount) as total from ledger_postings
        where owner_id > 0 and subject_type = ${CHECKINS} group by subject_id, currency, owner_id
      ) p on p.id = l.id and p.currency = l.currency and p.owner_id = l.user_id
      where coalesce(l.amount, 0) <> coalesce(p.total, 0) order by 1 limit 100`,
  ),
]
