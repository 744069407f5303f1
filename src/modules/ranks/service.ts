import { type Ranked, rankByBalance, rankByIncome } from '#modules/ledger/index.ts'
import { cacheCostly } from '#platform/costly-cache.ts'

export type MoneyRanking = 'balance' | 'income'

const RANKINGS = { balance: rankByBalance, income: rankByIncome }

/** People by what they own or were paid. */
export const rankMoney = cacheCostly<MoneyRanking, Ranked[]>(600_000, ({ sql }, name) =>
  RANKINGS[name](sql).execute(),
)
