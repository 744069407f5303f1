import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { settleSums } from '#platform/period-sums.ts'
import { feedLikes } from './ranks/queries.ts'
import { refreshHots } from './views/service.ts'

export const feedTasks = (ctx: Context): TaskList => ({
  refresh_hot_feeds: () => refreshHots(ctx),
  settle_feed_ranks: () => settleSums(ctx.sql, feedLikes),
})

export const feedSchedules: Schedule[] = [
  { task: 'refresh_hot_feeds', pattern: '23 * * * *' },
  { task: 'settle_feed_ranks', pattern: '*/5 * * * *' },
]
