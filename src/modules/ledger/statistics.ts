import type { Queue, Series, Statistics } from '#platform/statistics.ts'
import type { Currency } from './schema.ts'

const waiting = (table: 'withdrawals' | 'recharges'): Queue => ({
  name: table,
  ability: `admin: ${table}`,
  waiting: (sql) => sql`select created_at as since from ${sql(table)} where state = 'pending' order by id`,
})

/** What changed hands, each movement once: the sum of what was received. */
const moved = (name: string, currency: Currency, ability: string): Series => ({
  name,
  ability,
  happened: (sql, from, until) => sql`
    select created_at as at, amount as value from ledger_postings
    where created_at >= ${from} and created_at < ${until} and currency = ${currency} and amount > 0`,
})

/** Money that waits for a decision, and what was moved. */
export const ledgerStatistics: Statistics = {
  queues: [waiting('withdrawals'), waiting('recharges')],
  series: [
    moved('points-moved', 'points', 'admin: currency'),
    moved('wallet-moved', 'wallet', 'admin: wallet'),
  ],
}
