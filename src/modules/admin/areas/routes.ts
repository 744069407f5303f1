import {
  Area,
  AreaInput,
  addArea,
  areaView,
  changeArea,
  findArea,
  noSuchArea,
  removeArea,
} from '#modules/areas/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { recordRoutes } from '../records.ts'
import { listAreaRecords } from './queries.ts'
import { AreaQuery } from './schema.ts'

/** The places that people choose from; `pid` is given once, and an area that holds others stays. */
export function adminAreaRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/areas',
    ability: {
      show: 'admin:area:show',
      add: 'admin:area:add',
      update: 'admin:area:update',
      delete: 'admin:area:delete',
    },
    subject: 'areas',
    noun: 'an area',
    item: Area,
    query: AreaQuery,
    body: AreaInput,
    missing: noSuchArea,
    list: listAreaRecords,
    find: findArea,
    view: async (rows) => rows.map(areaView),
    create: (tx, _, body) => addArea(tx, body),
    change: (tx, _, area, body) => changeArea(tx, area, body),
    remove: (tx, { id }) => removeArea(tx, id),
  })
}
