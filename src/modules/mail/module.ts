import type { Module } from '../../module.ts'
import { mailProbe } from './mail-probe.ts'
import { messageTasks, receiptTasks } from './messages.ts'
import { adminMailRoutes } from './routes.ts'

export const module: Module = {
  routes: () => [adminMailRoutes],
  tasks: () => [messageTasks, receiptTasks],
  probes: [mailProbe],
  pools: [{ concurrency: 4, names: ['send_code', 'alert_owner', 'send_message', 'send_letter'] }],
}
