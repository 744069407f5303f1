import { mountAdminCrud } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { areaInUse, areaTaken, noSuchArea } from '../errors.ts'
import { findArea } from '../queries.ts'
import { Area, NewArea } from '../schema.ts'
import { addArea, changeArea, removeArea } from '../service.ts'
import { areaView } from '../view.ts'
import { listAreaRecords } from './queries.ts'
import { AreaQuery } from './schema.ts'

/** The places that people choose from; `pid` is given once, and an area that holds others stays (feeds-33). */
export function adminAreaRoutes(server: Server, ctx: Context) {
  mountAdminCrud(server, ctx, {
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
