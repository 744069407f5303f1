import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { sendToAll } from './notices/service.ts'
import type { Taken } from './queries.ts'
import { takeBackRest, tidyNotifications } from './service.ts'

export const notificationTasks = (ctx: Context): TaskList => ({
  take_back_notifications: (payload) => takeBackRest(ctx, payload as Taken),
  send_notice: (payload) => sendToAll(ctx, (payload as { id: number }).id),
  tidy_notifications: () => tidyNotifications(ctx),
})

export const notificationSchedules: Schedule[] = [{ task: 'tidy_notifications', pattern: '41 3 * * *' }]
