import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { adminAppealRoutes, appealRoutes } from './routes.ts'

/** Excludes the ids of moderators from the personal data export. */
const appealPersonal = [
  personalTable({
    file: 'appeals',
    about: { en: 'Your appeals', zh: '您的申诉' },
    table: 'appeals',
    key: ['id'],
    columns: ['id', 'sanction_id', 'contents', 'state', 'answer', 'decided_at', 'created_at'],
  }),
]

export const module: Module = {
  routes: () => [appealRoutes, adminAppealRoutes],
  personalData: { place: 1, tables: appealPersonal },
  statistics: {
    place: 1,
    queues: [
      {
        name: 'appeals',
        ability: 'admin: sanctions',
        waiting: (sql) => sql`select created_at as since from appeals where state = 'pending' order by id`,
      },
    ],
  },
}
