import { type Ranked, rankByBalance, rankByIncome } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'

export type MoneyRanking = 'balance' | 'income'
type Kept = { until: number; ranking: Promise<Ranked[]> }

const RANKINGS = { balance: rankByBalance, income: rankByIncome }

/** A ranking is kept a hundred times as long as it took, so that it never costs more than a hundredth of the time. */
const KEPT_TIMES = 100
const KEPT_MAX_MS = 600_000
const rankings = new WeakMap<object, Map<MoneyRanking, Kept>>()

/** People by what they own or were paid. */
export function rankMoney(ctx: Context, name: MoneyRanking): Promise<Ranked[]> {
  const known = rankings.get(ctx.sql) ?? new Map<MoneyRanking, Kept>()
  rankings.set(ctx.sql, known)
  const kept = known.get(name)
  if (kept && Date.now() < kept.until) return kept.ranking
  const started = Date.now()
  // Until it is known how long this one takes, everybody waits for the same.
  const entry: Kept = { until: Number.POSITIVE_INFINITY, ranking: RANKINGS[name](ctx.sql).execute() }
  known.set(name, entry)
  entry.ranking.then(
    () => {
      const now = Date.now()
      entry.until = now + Math.min((now - started) * KEPT_TIMES, KEPT_MAX_MS)
    },
    () => known.delete(name),
  )
  return entry.ranking
}
