import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import { rankBySums } from '#platform/period-sums.ts'
import type { Period } from '#platform/periods.ts'
import { feedLikes } from './queries.ts'

/** How far the ranking goes; its pages come from memory. */
const RANKED = 1000

/** The authors whose feeds of a period were liked most, at most a minute old (feeds-27). */
export const rankingOf = cacheCostly<Period, RankedRow[]>(60_000, ({ sql }, period) =>
  rankBySums(sql, feedLikes, period, { enabled: withEnabledUser, limit: RANKED }),
)
