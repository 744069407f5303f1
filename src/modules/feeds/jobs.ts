import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { refreshHots } from './views/service.ts'

export const feedTasks = (ctx: Context): TaskList => ({ refresh_hot_feeds: () => refreshHots(ctx) })

export const feedSchedules: Schedule[] = [{ task: 'refresh_hot_feeds', pattern: '23 * * * *' }]
