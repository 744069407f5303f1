import type { Counts } from '#contracts/content.ts'
import type { CounterCheck } from '#contracts/counters.ts'
import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { defineBufferedCounts } from '#platform/memory'
import { addHits } from './queries.ts'

/** Views buffered in memory. */
export const hitsOf = defineBufferedCounts('hits', addHits)

export const countNewsComments: Counts = (sql) => [
  sql`update news_counts n set comment_count = greatest(n.comment_count + c.by, 0) from changed c where n.news_id = c.id`,
]
export const countNewsLikes: Counts = (sql) => [
  sql`update news_counts n set digg_count = greatest(n.digg_count + c.by, 0) from changed c where n.news_id = c.id`,
]

/** Counter checks of news for `kith doctor`. Views leave no records to recount. */
export const newsCounters: CounterCheck[] = [
  commentsRecount('news', { table: 'news_counts', key: 'news_id', column: 'comment_count' }),
  likesRecount('news', { table: 'news_counts', key: 'news_id', column: 'digg_count' }),
]
