import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { type Counted, sumFinishedDays } from './service.ts'

/** Jobs of statistics. */
export const statisticTasks =
  (counted: Counted) =>
  (ctx: Context): TaskList => ({
    sum_statistics: (_payload, { abortSignal }) => sumFinishedDays(ctx, counted, abortSignal),
  })

export const statisticSchedules: Schedule[] = [{ task: 'sum_statistics', pattern: '7 * * * *' }]
