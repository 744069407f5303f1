import type { Drift } from '#platform/counters.ts'
import { type Db, type Sql, transaction } from '#platform/database.ts'
import { CURRENCIES, PLATFORM } from '../schema.ts'

/**
 * Notes what platform accounts hold up to now, so that asking later sums only what came since. The lock waits for
 * those who are writing: below the last id seen under it nothing can appear any more.
 */
export async function writeCheckpoints(sql: Sql): Promise<void> {
  const last = await transaction(sql, async (tx) => {
    await tx`set local lock_timeout = '2s'`
    await tx`lock table ledger_postings in share mode`
    const [row] = await tx<[{ id: number }]>`select last_value as id from ledger_order_ids`
    return row.id
  })
  await sql`
    insert into ledger_checkpoints as kept (owner_id, currency, posting_id, balance)
    select a.owner_id, c.currency, ${last}::bigint, coalesce(k.balance, 0) + (
      select coalesce(sum(p.amount), 0) from ledger_postings p
      where p.owner_id = a.owner_id and p.currency = c.currency and p.id > coalesce(k.posting_id, 0) and p.id <= ${last}
    )
    from unnest(${Object.values(PLATFORM)}::bigint[]) as a (owner_id)
    cross join unnest(${[...CURRENCIES]}::text[]) as c (currency)
    left join ledger_checkpoints k on k.owner_id = a.owner_id and k.currency = c.currency
    on conflict (owner_id, currency) do update set posting_id = excluded.posting_id, balance = excluded.balance,
      created_at = excluded.created_at
    where kept.posting_id < excluded.posting_id`
}

/** What platform accounts hold: the last checkpoint and what was posted since. */
export const findPlatformBalances = (sql: Db) => sql<
  { owner_id: number; currency: string; balance: number }[]
>`
  select a.owner_id, c.currency, (coalesce(k.balance, 0) + (
    select coalesce(sum(p.amount), 0) from ledger_postings p
    where p.owner_id = a.owner_id and p.currency = c.currency and p.id > coalesce(k.posting_id, 0)
  ))::bigint as balance
  from unnest(${Object.values(PLATFORM)}::bigint[]) as a (owner_id)
  cross join unnest(${[...CURRENCIES]}::text[]) as c (currency)
  left join ledger_checkpoints k on k.owner_id = a.owner_id and k.currency = c.currency`

/** The sum of what people own, by currency. */
export const findPeopleTotals = (sql: Db) => sql<{ currency: string; balance: number }[]>`
  select currency, sum(balance)::bigint as balance from ledger_accounts group by currency`

/** Transactions whose postings do not sum to zero. */
export const findUnbalanced = (sql: Db) => sql<Drift[]>`
  select transaction_id || ' ' || currency as key, 0 as kept, sum(amount)::bigint as counted
  from ledger_postings group by transaction_id, currency having sum(amount) <> 0
  order by transaction_id limit 100`

/** People's balances that differ from the sum of their postings. */
export const findBalanceDrift = (sql: Db) => sql<Drift[]>`
  select owner_id || ' ' || currency as key, coalesce(a.balance, 0) as kept, coalesce(p.total, 0)::bigint as counted
  from ledger_accounts a full join (
    select owner_id, currency, sum(amount) as total from ledger_postings where owner_id > 0 group by owner_id, currency
  ) p using (owner_id, currency)
  where coalesce(a.balance, 0) <> coalesce(p.total, 0) or a.balance <> a.income - a.expenses
  order by owner_id, currency limit 100`

/** Postings whose balance does not follow from the one before. */
export const findBrokenChains = (sql: Db) => sql<Drift[]>`
  select owner_id || ' ' || currency || ' ' || id as key, balance_after as kept, expected::bigint as counted
  from (
    select owner_id, currency, id, balance_after,
      sum(amount) over (partition by owner_id, currency order by id) as expected
    from ledger_postings where owner_id > 0
  ) p
  where balance_after <> expected order by owner_id, currency, id limit 100`

/** Withdrawals of which escrow holds something else than it should: the amount while they wait, else nothing. */
export const findWithdrawalDrift = (sql: Db) => sql<Drift[]>`
  select w.id::text as key, case w.state when 'pending' then w.amount else 0 end as kept,
    coalesce(p.total, 0)::bigint as counted
  from withdrawals w left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM.escrow} and subject_type = 'withdrawals' group by subject_id
  ) p on p.subject_id = w.id
  where case w.state when 'pending' then w.amount else 0 end <> coalesce(p.total, 0)
  order by w.id limit 100`

/** Recharges that were credited another amount than their state says. */
export const findRechargeDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, case r.state when 'confirmed' then r.credited else 0 end as kept,
    coalesce(p.total, 0)::bigint as counted
  from recharges r left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'recharges' group by subject_id
  ) p on p.subject_id = r.id
  where case r.state when 'confirmed' then r.credited else 0 end <> coalesce(p.total, 0)
  order by r.id limit 100`

/** Checkpoints that differ from the sum they stand for. */
export const findCheckpointDrift = (sql: Db) => sql<Drift[]>`
  select k.owner_id || ' ' || k.currency as key, k.balance::bigint as kept, coalesce(sum(p.amount), 0)::bigint as counted
  from ledger_checkpoints k left join ledger_postings p
    on p.owner_id = k.owner_id and p.currency = k.currency and p.id <= k.posting_id
  group by k.owner_id, k.currency, k.balance having k.balance <> coalesce(sum(p.amount), 0)
  order by k.owner_id, k.currency`
