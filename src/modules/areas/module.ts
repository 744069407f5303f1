import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause } from '#platform/database'
import { Int, listingQuery, MAX_ID, pageOf, routesOn, type Server, type Static, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  Area,
  AreaSearch,
  addArea,
  areaColumns,
  areaInUse,
  areaNamed,
  areaTaken,
  areaView,
  changeArea,
  FoundArea,
  findArea,
  findPlaces,
  NewArea,
  noSuchArea,
  removeArea,
} from './service.ts'
import { AREA_SETTINGS, readAreaSettings } from './settings.ts'

const AreaQuery = Type.Object({
  ...listingQuery(['id', 'name']),
  pid: Type.Optional(
    Int(0, MAX_ID, { description: 'Only direct children of this area; 0 for the top level' }),
  ),
})
type AreaQuery = Static<typeof AreaQuery>

function listAreaRecords(sql: Db, query: AreaQuery) {
  const inside = ifGiven(sql, query.pid, (pid) =>
    pid === 0 ? sql`and a.parent_id is null` : sql`and a.parent_id = ${pid}`,
  )
  const where = sql`where true ${areaNamed(sql, query.q)} ${inside}`
  const by = query.sort === 'name' ? sql`a.name_key` : undefined
  return pageOf<Area>(
    sql,
    sql`
      select ${areaColumns(sql)} from areas a ${where}
      ${listingClause(sql, query, { id: sql`a.id`, by, from: sql`areas a` })}`,
    sql`select count(*)::int as total from areas a ${where}`,
  )
}

export function adminAreaRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/areas',
    tag: 'Admin: site',
    ability: {
      show: 'admin:area:show',
      add: 'admin:area:add',
      update: 'admin:area:update',
      delete: 'admin:area:delete',
    },
    subject: 'areas',
    entity: 'Area',
    noun: 'an area',
    nouns: 'areas',
    item: Area,
    query: AreaQuery,
    body: NewArea,
    missing: noSuchArea,
    errors: [areaTaken, areaInUse],
    list: listAreaRecords,
    find: findArea,
    view: async (rows) => rows.map(areaView),
    create: (tx, _, body) => addArea(tx, body),
    change: (tx, _, area, body) => changeArea(tx, area, body),
    remove: (tx, { id }) => removeArea(tx, id),
  })
}

export function areaRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /locations/search', {
    operationId: 'searchAreas',
    summary: 'Find up to five places by a part of their name',
    access: 'public',
    query: AreaSearch,
    reply: { 200: Type.Array(FoundArea) },
    handler: ({ query }) => findPlaces(ctx.sql, query.name),
  })

  route('GET /locations/hots', {
    operationId: 'listHotLocations',
    summary: 'List popular places, as configured by administrators',
    access: 'public',
    reply: { 200: Type.Array(Type.String()) },
    returns: 'Names of places.',
    handler: async () => (await readAreaSettings(ctx))['locations:hots'],
  })
}

export const module: Module = {
  settings: AREA_SETTINGS,
  routes: () => [areaRoutes, adminAreaRoutes],
}
