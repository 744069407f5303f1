import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  AppVersion,
  AppVersionListQuery,
  AppVersionsQuery,
  addVersion,
  changeVersion,
  deleteVersion,
  findVersion,
  listVersionRecords,
  listVersions,
  NewAppVersion,
  noSuchVersion,
  versionTaken,
  versionView,
} from './service.ts'

export function adminAppVersionRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/app-versions',
    tag: 'Admin: site',
    ability: 'admin: app versions',
    subject: 'app-versions',
    entity: 'AppVersion',
    noun: 'a version of a mobile client',
    nouns: 'versions of a mobile client',
    item: AppVersion,
    query: AppVersionListQuery,
    body: NewAppVersion,
    missing: noSuchVersion,
    errors: [versionTaken],
    list: listVersionRecords,
    find: findVersion,
    view: async (rows) => rows.map(versionView),
    create: (tx, _, body) => addVersion(tx, body),
    change: (tx, _, row, body) => changeVersion(tx, row, body),
    remove: async (tx, { id }) => {
      await deleteVersion(tx, id)
    },
  })
}

export function appVersionRoutes(server: Server, ctx: Context) {
  routesOn(server, ctx, { tag: 'Site' })('GET /plus-appversion', {
    operationId: 'listAppVersions',
    summary: 'List the versions of a mobile client, newest first',
    access: 'public',
    query: AppVersionsQuery,
    reply: { 200: Type.Array(AppVersion) },
    handler: async ({ query }) => (await listVersions(ctx.sql, query)).map(versionView),
  })
}

export const module: Module = {
  routes: () => [appVersionRoutes, adminAppVersionRoutes],
}
