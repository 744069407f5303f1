import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import { adminRoleRoutes } from './admin/routes.ts'
import { AbilityView, listAbilitiesOf } from './service.ts'

export function abilityRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('GET /user/abilities', {
    operationId: 'listMyAbilities',
    summary: 'List my abilities',
    access: 'user',
    reply: { 200: Type.Array(AbilityView) },
    handler: ({ viewer }) => listAbilitiesOf(ctx.sql, viewer.id),
  })
}

export const abilityPersonal = [
  personalTable({
    file: 'roles',
    about: { en: 'Your roles', zh: '您的角色' },
    table: 'user_roles',
    with: ['roles'],
    key: ['role_id'],
    columns: ['role_id'],
    extra: (sql) => sql`, (select r.name from roles r where r.id = t.role_id) as name`,
  }),
]

export const module: Module = {
  routes: (site) => [abilityRoutes, adminRoleRoutes(site.service('findNewcomersRole'))],
  personalData: { place: 2, tables: abilityPersonal },
}
