import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { tidyUploads } from './restore.ts'
import { backupBytesRoutes, backupRoutes, restoreBytesRoutes, restoreRoutes } from './routes.ts'
import { backupCheckTasks } from './service.ts'

const tasks = (ctx: Context): TaskList => ({
  ...backupCheckTasks(ctx),
  tidy_restores: () => tidyUploads(ctx),
})

export const module: Module = {
  routes: () => [backupRoutes, restoreRoutes],
  outerRoutes: () => [backupBytesRoutes, restoreBytesRoutes],
  tasks: () => [tasks],
  schedules: [{ task: 'tidy_restores', pattern: '23 4 * * *' }],
}
