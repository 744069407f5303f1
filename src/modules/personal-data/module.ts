import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { archiveBytesRoutes, exportRoutes } from './routes.ts'
import { exportSchedules, exportTasks, forgetExports } from './service.ts'

const exportPersonal = [
  personalTable({
    file: 'exports',
    about: { en: 'Your data exports', zh: '您的数据导出记录' },
    table: 'data_exports',
    key: ['id'],
    columns: ['id', 'state', 'created_at', 'finished_at', 'expires_at'],
  }),
]

export const module: Module = {
  routes: () => [exportRoutes],
  personalData: { place: 1, tables: exportPersonal },
  erase: forgetExports,
  tasks: (site) => [exportTasks(site.personalData)],
  schedules: exportSchedules,
  pools: [{ concurrency: 1, names: ['make_export'] }],
  outerRoutes: () => [archiveBytesRoutes],
}
