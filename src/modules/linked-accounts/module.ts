import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { linkedAccountRoutes } from './routes.ts'
import { deleteLinks, unlinkAll } from './service.ts'

export const linkedAccountPersonal = [
  personalTable({
    file: 'linked-accounts',
    about: { en: 'External accounts with which you sign in', zh: '您绑定的第三方账号' },
    table: 'linked_accounts',
    key: ['provider'],
    columns: ['provider', 'subject', 'created_at', 'used_at'],
  }),
]

export const module: Module = {
  routes: () => [linkedAccountRoutes],
  personalData: { place: 4, tables: linkedAccountPersonal },
  erase: unlinkAll,
  offers: { deleteLinks },
}
