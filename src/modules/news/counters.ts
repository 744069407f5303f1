import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Counts } from '#platform/content.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { addHits } from './queries.ts'

/** Views that are not in the database yet. */
export const hitsOf = defineBufferedCounts('hits', addHits)

export const countNewsComments: Counts = (sql) => [
  sql`update news_counts n set comment_count = n.comment_count + c.by from changed c where n.news_id = c.id`,
]
export const countNewsLikes: Counts = (sql) => [
  sql`update news_counts n set digg_count = n.digg_count + c.by from changed c where n.news_id = c.id`,
]

/** Recounts of news, for `kith doctor`. Views leave no record. */
export const newsCounters: CounterCheck[] = [
  commentsRecount('news', { table: 'news_counts', key: 'news_id', column: 'comment_count' }),
  likesRecount('news', { table: 'news_counts', key: 'news_id', column: 'digg_count' }),
]
