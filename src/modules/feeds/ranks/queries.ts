import type { PeriodSums } from '#contracts/period-sums.ts'
import { ifGiven } from '#platform/database'
import { FEED_LIKES, visibleFeed } from '../queries.ts'

/** Likes that users received on feeds created in a period (feeds-27). */
export const feedLikes: PeriodSums = {
  ranking: FEED_LIKES,
  counted: (sql, from, before) => sql`
    select f.user_id, f.like_count as n from feeds f
    where f.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and f.created_at < ${end}`)}
      and ${visibleFeed(sql)} and f.like_count > 0`,
}
