import type { PeriodSums } from '#platform/period-sums.ts'
import { ifGiven } from '#platform/sql.ts'
import { FEED_LIKES, visibleFeed } from '../queries.ts'

/** The likes that people received on feeds made in a period (feeds-27). */
export const feedLikes: PeriodSums = {
  ranking: FEED_LIKES,
  counted: (sql, from, before) => sql`
    select f.user_id, f.like_count as n from feeds f
    where f.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and f.created_at < ${end}`)}
      and ${visibleFeed(sql)} and f.like_count > 0`,
}
