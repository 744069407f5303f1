import type { CounterCheck, Drift } from '#contracts/counters.ts'
import type { Db, Sql } from '#platform/database'
import { CURRENCIES, type Currency, PLATFORM_ACCOUNTS } from '../schema.ts'
import {
  findBalanceDrift,
  findBrokenChains,
  findCheckpointDrift,
  findPaymentDrift,
  findPeopleTotals,
  findPlatformBalances,
  findRechargeDrift,
  findUnbalanced,
  findWithdrawalDrift,
} from './queries.ts'

/** A check without repair. A difference in the ledger has to be understood before it is changed. */
export const unrepairable = (name: string, find: (sql: Db) => PromiseLike<Drift[]>): CounterCheck => ({
  name,
  find: async (sql) => [...(await find(sql))],
  mend: async () => 0,
  mendable: false,
})

/** Invariants of the ledger alone. Modules with money in escrow add their own checks. */
export const ledgerChecks: CounterCheck[] = [
  unrepairable('ledger_postings.balanced', findUnbalanced),
  unrepairable('ledger_accounts.balance', findBalanceDrift),
  unrepairable('ledger_postings.balance_after', findBrokenChains),
  unrepairable('ledger_checkpoints.balance', findCheckpointDrift),
  unrepairable('withdrawals.escrow', findWithdrawalDrift),
  unrepairable('recharges.credited', findRechargeDrift),
  unrepairable('payments.credited', findPaymentDrift),
]

export type Audit = {
  balanced: boolean
  drift: (Drift & { check: string })[]
  totals: Record<Currency, { people: number; escrow: number; income: number; issuance: number; sum: number }>
}

/** Audits the whole ledger in one snapshot, with the checks of modules that hold money in escrow. */
export async function auditLedger(sql: Sql, more: CounterCheck[] = []): Promise<Audit> {
  const checks = [...ledgerChecks, ...more]
  const { people, platform, found } = await sql.begin(
    'isolation level repeatable read read only',
    async (tx) => {
      await tx`set local statement_timeout = '10min'`
      const people = await findPeopleTotals(tx)
      const platform = await findPlatformBalances(tx)
      const found: Drift[][] = []
      for (const { find } of checks) found.push(await find(tx))
      return { people, platform, found }
    },
  )
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
