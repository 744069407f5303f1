import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import type { Probe } from '#platform/probe.ts'
import { checkHealth } from './health/service.ts'
import { type Counted, sumFinishedDays } from './service.ts'
import { tidyTraffic } from './traffic/service.ts'

/** Jobs of statistics. */
export const statisticTasks =
  (counted: Counted, probes: readonly Probe[]) =>
  (ctx: Context): TaskList => ({
    sum_statistics: (_payload, { abortSignal }) => sumFinishedDays(ctx, counted, abortSignal),
    check_health: () => checkHealth(ctx, probes),
    tidy_traffic: async () => void (await tidyTraffic(ctx)),
  })

export const statisticSchedules: Schedule[] = [
  { task: 'sum_statistics', pattern: '7 * * * *' },
  { task: 'check_health ?max=1', pattern: '*/5 * * * *' },
  { task: 'tidy_traffic', pattern: '47 3 * * *' },
]
