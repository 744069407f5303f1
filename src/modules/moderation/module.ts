import type { Module } from '../../module.ts'
import { waveSchedules, waveTasks } from './waves/jobs.ts'
import { adminWaveRoutes } from './waves/routes.ts'

export const module: Module = {
  routes: (site) => [adminWaveRoutes(site.removals)],
  tasks: (site) => [waveTasks(site.removals)],
  schedules: waveSchedules,
}
