import type { RankedRow } from '#modules/accounts/index.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import type { Period } from '#platform/periods.ts'
import { rankAuthors } from './queries.ts'

/** The authors whose feeds of a period were liked most, at most a minute old (feeds-27). */
export const rankingOf = cacheCostly<Period, RankedRow[]>(60_000, ({ sql }, period) =>
  rankAuthors(sql, period).execute(),
)
