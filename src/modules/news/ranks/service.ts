import type { RankedRow } from '#modules/accounts/index.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import type { Period } from '#platform/periods.ts'
import { rankAuthors } from './queries.ts'

/** The authors whose articles of a period were read most, at most ten seconds old. */
export const rankingOf = cacheCostly<Period, RankedRow[]>(10_000, ({ sql }, period) =>
  rankAuthors(sql, period).execute(),
)
