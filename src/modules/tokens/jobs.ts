import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { tidyTokens } from './service.ts'

export const tokenTasks = (ctx: Context): TaskList => ({ tidy_tokens: () => tidyTokens(ctx) })

export const tokenSchedules: Schedule[] = [{ task: 'tidy_tokens', pattern: '17 3 * * *' }]
