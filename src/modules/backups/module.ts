import type { Module } from '../../module.ts'
import { backupBytesRoutes, backupRoutes } from './routes.ts'
import { backupCheckTasks } from './service.ts'

export const module: Module = {
  routes: () => [backupRoutes],
  outerRoutes: () => [backupBytesRoutes],
  tasks: () => [backupCheckTasks],
}
