import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { settleSums } from '#platform/period-sums.ts'
import { answersGiven } from './ranks/queries.ts'

export const questionTasks = (ctx: Context): TaskList => ({
  settle_answer_ranks: () => settleSums(ctx.sql, answersGiven),
})

export const questionSchedules: Schedule[] = [{ task: 'settle_answer_ranks', pattern: '*/5 * * * *' }]
