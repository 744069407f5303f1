import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { adminSanctionRoutes, sanctionRoutes } from './routes.ts'

/** Excludes the ids of moderators from the personal data export. */
const sanctionPersonal = [
  personalTable({
    file: 'sanctions',
    about: { en: 'Sanctions against you', zh: '对您的处罚' },
    table: 'sanctions',
    key: ['id'],
    columns: ['id', 'kind', 'reason', 'ends_at', 'lifted_at', 'created_at'],
  }),
]

export const module: Module = {
  routes: () => [sanctionRoutes, adminSanctionRoutes],
  personalData: { place: 1, tables: sanctionPersonal },
}
