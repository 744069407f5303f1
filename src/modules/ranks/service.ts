import { type Ranked, rankByBalance, rankByIncome } from '#modules/ledger/index.ts'
import { keepCostly } from '#platform/keep-costly.ts'

export type MoneyRanking = 'balance' | 'income'

const RANKINGS = { balance: rankByBalance, income: rankByIncome }

/** People by what they own or were paid. */
export const rankMoney = keepCostly<MoneyRanking, Ranked[]>(600_000, ({ sql }, name) =>
  RANKINGS[name](sql).execute(),
)
