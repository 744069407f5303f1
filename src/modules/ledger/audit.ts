import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { type Db, type Sql, transaction } from '#platform/database'
import { CURRENCIES, type Currency, PLATFORM_ACCOUNTS } from './schema.ts'

/**
 * Stores the balances of platform accounts, so that later reads sum only newer postings. The table lock
 * ensures that no posting with a lower id commits afterwards.
 */
export async function writeCheckpoints(sql: Sql): Promise<void> {
  const last = await transaction(sql, async (tx) => {
    await tx`set local lock_timeout = '2s'`
    await tx`lock table ledger_postings in share mode`
    // Does not use `last_value`, because it is 1 in an unused sequence. The checkpoint would then skip the
    // first posting.
    const [row] = await tx<[{ id: number }]>`
      select coalesce(pg_sequence_last_value('ledger_order_ids'), 0)::bigint as id`
    return row.id
  })
  await sql`
    insert into ledger_checkpoints as kept (owner_id, currency, posting_id, balance)
    select a.owner_id, c.currency, ${last}::bigint, coalesce(k.balance, 0) + (
      select coalesce(sum(p.amount), 0) from ledger_postings p
      where p.owner_id = a.owner_id and p.currency = c.currency and p.id > coalesce(k.posting_id, 0) and p.id <= ${last}
    )
    from unnest(${Object.values(PLATFORM_ACCOUNTS)}::bigint[]) as a (owner_id)
    cross join unnest(${[...CURRENCIES]}::text[]) as c (currency)
    left join ledger_checkpoints k on k.owner_id = a.owner_id and k.currency = c.currency
    on conflict (owner_id, currency) do update set posting_id = excluded.posting_id, balance = excluded.balance,
      created_at = excluded.created_at
    where kept.posting_id < excluded.posting_id`
}

const findPlatformBalances = (sql: Db) => sql<{ owner_id: number; currency: string; balance: number }[]>`
  select a.owner_id, c.currency, (coalesce(k.balance, 0) + (
    select coalesce(sum(p.amount), 0) from ledger_postings p
    where p.owner_id = a.owner_id and p.currency = c.currency and p.id > coalesce(k.posting_id, 0)
  ))::bigint as balance
  from unnest(${Object.values(PLATFORM_ACCOUNTS)}::bigint[]) as a (owner_id)
  cross join unnest(${[...CURRENCIES]}::text[]) as c (currency)
  left join ledger_checkpoints k on k.owner_id = a.owner_id and k.currency = c.currency`

const findPeopleTotals = (sql: Db) => sql<{ currency: string; balance: number }[]>`
  select currency, sum(balance)::bigint as balance from ledger_accounts group by currency`

const findUnbalanced = (sql: Db) => sql<Drift[]>`
  select transaction_id || ' ' || currency as key, 0 as kept, sum(amount)::bigint as counted
  from ledger_postings group by transaction_id, currency having sum(amount) <> 0
  order by transaction_id limit 100`

const findBalanceDrift = (sql: Db) => sql<Drift[]>`
  select owner_id || ' ' || currency as key, coalesce(a.balance, 0) as kept, coalesce(p.total, 0)::bigint as counted
  from ledger_accounts a full join (
    select owner_id, currency, sum(amount) as total from ledger_postings where owner_id > 0 group by owner_id, currency
  ) p using (owner_id, currency)
  where coalesce(a.balance, 0) <> coalesce(p.total, 0) or a.balance <> a.income - a.expenses
  order by owner_id, currency limit 100`

/** Finds postings whose balance is not the sum of the account's postings so far. */
const findBrokenChains = (sql: Db) => sql<Drift[]>`
  select owner_id || ' ' || currency || ' ' || id as key, balance_after as kept, expected::bigint as counted
  from (
    select owner_id, currency, id, balance_after,
      sum(amount) over (partition by owner_id, currency order by id) as expected
    from ledger_postings where owner_id > 0
  ) p
  where balance_after <> expected order by owner_id, currency, id limit 100`

const findWithdrawalDrift = (sql: Db) => sql<Drift[]>`
  select w.id::text as key, case w.state when 'pending' then w.amount else 0 end as kept,
    coalesce(p.total, 0)::bigint as counted
  from withdrawals w left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = 'withdrawals' group by subject_id
  ) p on p.subject_id = w.id
  where case w.state when 'pending' then w.amount else 0 end <> coalesce(p.total, 0)
  order by w.id limit 100`

const findRechargeDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, case r.state when 'confirmed' then r.credited else 0 end as kept,
    coalesce(p.total, 0)::bigint as counted
  from recharges r left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'recharges' group by subject_id
  ) p on p.subject_id = r.id
  where case r.state when 'confirmed' then r.credited else 0 end <> coalesce(p.total, 0)
  order by r.id limit 100`

const findPaymentDrift = (sql: Db) => sql<Drift[]>`
  select p.recharge_id::text as key,
    case when p.fault is null then div(r.credited::numeric * p.refunded, p.charged)::bigint else 0 end as kept,
    coalesce(t.total, 0)::bigint as counted
  from payments p join recharges r on r.id = p.recharge_id left join (
    select subject_id, sum(amount) as total from ledger_postings
    where owner_id = ${PLATFORM_ACCOUNTS.issuance} and subject_type = 'payments' group by subject_id
  ) t on t.subject_id = p.recharge_id
  where case when p.fault is null then div(r.credited::numeric * p.refunded, p.charged) else 0 end <> coalesce(t.total, 0)
    or (p.payment_number is not null and p.fault is null
      and (r.state <> 'confirmed' or r.reference is distinct from p.payment_number))
  order by p.recharge_id limit 100`

const findCheckpointDrift = (sql: Db) => sql<Drift[]>`
  select k.owner_id || ' ' || k.currency as key, k.balance::bigint as kept, coalesce(sum(p.amount), 0)::bigint as counted
  from ledger_checkpoints k left join ledger_postings p
    on p.owner_id = k.owner_id and p.currency = k.currency and p.id <= k.posting_id
  group by k.owner_id, k.currency, k.balance having k.balance <> coalesce(sum(p.amount), 0)
  order by k.owner_id, k.currency`

/** Creates a check without repair, because an automatic repair would hide the cause of a wrong amount. */
export const unrepairable = (name: string, find: (sql: Db) => PromiseLike<Drift[]>): CounterCheck => ({
  name,
  find: async (sql) => [...(await find(sql))],
  mend: async () => 0,
  mendable: false,
})

/** Checks of the ledger. Other modules add checks of the amounts that they hold in escrow. */
export const ledgerChecks: CounterCheck[] = [
  unrepairable('ledger_postings.balanced', findUnbalanced),
  unrepairable('ledger_accounts.balance', findBalanceDrift),
  unrepairable('ledger_postings.balance_after', findBrokenChains),
  unrepairable('ledger_checkpoints.balance', findCheckpointDrift),
  unrepairable('withdrawals.escrow', findWithdrawalDrift),
  unrepairable('recharges.credited', findRechargeDrift),
  unrepairable('payments.credited', findPaymentDrift),
]

type Audit = {
  balanced: boolean
  drift: (Drift & { check: string })[]
  totals: Record<Currency, { people: number; escrow: number; income: number; issuance: number; sum: number }>
}

export async function auditLedger(sql: Sql, more: CounterCheck[] = []): Promise<Audit> {
  const checks = [...ledgerChecks, ...more]
  const { people, platform, found } = await sql.begin(async (tx) => {
    await tx.unsafe('set transaction isolation level repeatable read, read only')
    await tx`set local statement_timeout = '10min'`
    const people = await findPeopleTotals(tx)
    const platform = await findPlatformBalances(tx)
    const found: Drift[][] = []
    for (const { find } of checks) found.push(await find(tx))
    return { people, platform, found }
  })
  const drift = found.flatMap((each, index) =>
    each.map((row) => ({ check: checks[index]?.name ?? '', ...row })),
  )
  const totals = Object.fromEntries(
    CURRENCIES.map((currency) => {
      const held = (id: number) =>
        platform.find((row) => row.owner_id === id && row.currency === currency)?.balance ?? 0
      const parts = {
        people: people.find((row) => row.currency === currency)?.balance ?? 0,
        escrow: held(PLATFORM_ACCOUNTS.escrow),
        income: held(PLATFORM_ACCOUNTS.income),
        issuance: held(PLATFORM_ACCOUNTS.issuance),
      }
      return [currency, { ...parts, sum: Object.values(parts).reduce((a, b) => a + b, 0) }]
    }),
  ) as Audit['totals']
  const balanced = drift.length === 0 && Object.values(totals).every(({ sum }) => sum === 0)
  return { balanced, drift, totals }
}
