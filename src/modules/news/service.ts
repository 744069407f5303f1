import { commentsRecount } from '#modules/comments/index.ts'
import { likesRecount } from '#modules/likes/index.ts'
import type { CounterCheck } from '#platform/counters.ts'

/** Recounts of news, for `kith doctor`. Views leave no record. */
export const newsCounters: CounterCheck[] = [
  commentsRecount('news', { table: 'news_counts', key: 'news_id', column: 'comment_count' }),
  likesRecount('news', { table: 'news_counts', key: 'news_id', column: 'digg_count' }),
]
