import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db, Sql } from '#platform/database.ts'
import { CURRENCIES, type Currency, PLATFORM } from '../schema.ts'
import {
  findBalanceDrift,
  findBrokenChains,
  findCheckpointDrift,
  findPeopleTotals,
  findPlatformBalances,
  findRechargeDrift,
  findUnbalanced,
  findWithdrawalDrift,
} from './queries.ts'

/** Nothing of the ledger is mended by itself: what is wrong has to be understood first. */
export const unmendable = (name: string, find: (sql: Db) => PromiseLike<Drift[]>): CounterCheck => ({
  name,
  find: async (sql) => [...(await find(sql))],
  mend: async () => 0,
  mendable: false,
})

/** What has to hold of the ledger by itself; modules that keep money in escrow have checks of their own. */
export const ledgerChecks: CounterCheck[] = [
  unmendable('ledger_postings.balanced', findUnbalanced),
  unmendable('ledger_accounts.balance', findBalanceDrift),
  unmendable('ledger_postings.balance_after', findBrokenChains),
  unmendable('ledger_checkpoints.balance', findCheckpointDrift),
  unmendable('withdrawals.escrow', findWithdrawalDrift),
  unmendable('recharges.credited', findRechargeDrift),
]

export type Audit = {
  balanced: boolean
  drift: (Drift & { check: string })[]
  totals: Record<Currency, { people: number; escrow: number; income: number; issuance: number; sum: number }>
}

/** Checks the whole ledger as it was at one moment, with the checks of modules that keep money in escrow. */
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
        escrow: held(PLATFORM.escrow),
        income: held(PLATFORM.income),
        issuance: held(PLATFORM.issuance),
      }
      return [currency, { ...parts, sum: Object.values(parts).reduce((a, b) => a + b, 0) }]
    }),
  ) as Audit['totals']
  const balanced = drift.length === 0 && Object.values(totals).every(({ sum }) => sum === 0)
  return { balanced, drift, totals }
}
