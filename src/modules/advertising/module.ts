import { escapeLike } from '#lib/text.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause } from '#platform/database'
import { Id, listingQuery, pageOf, routesOn, type Server, type Static, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  Advertisement,
  type AdvertisementRow,
  AdvertisingSpace,
  addAdvertisement,
  advertisementColumns,
  advertisementView,
  changeAdvertisement,
  findAdvertisement,
  NewAdvertisement,
  noSuchAdvertisement,
  noSuchSpace,
  readAdvertisements,
  readBootAdvertisements,
  readSpace,
  readSpaces,
  removeAdvertisement,
  SpaceParams,
  SpacesQuery,
} from './service.ts'

const AdvertisementQuery = Type.Object({
  ...listingQuery(['id', 'sort']),
  space_id: Type.Optional(Id),
})
type AdvertisementQuery = Static<typeof AdvertisementQuery>

function listAdvertisementRecords(sql: Db, query: AdvertisementQuery) {
  const where = sql`where true
    ${ifGiven(sql, query.q, (part) => sql`and a.title ilike ${`%${escapeLike(part)}%`}`)}
    ${ifGiven(sql, query.space_id, (space) => sql`and a.space_id = ${space}`)}`
  const by = query.sort === 'sort' ? sql`a.sort` : undefined
  return pageOf<AdvertisementRow>(
    sql,
    sql`
      select ${advertisementColumns(sql)} from advertising a ${where}
      ${listingClause(sql, query, { id: sql`a.id`, by, from: sql`advertising a` })}`,
    sql`select count(*)::int as total from advertising a ${where}`,
  )
}

export function adminAdvertisingRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/advertising',
    tag: 'Admin: site',
    ability: 'admin: advertising',
    subject: 'advertising',
    entity: 'Advertisement',
    noun: 'an advertisement',
    nouns: 'advertisements',
    item: Advertisement,
    query: AdvertisementQuery,
    body: NewAdvertisement,
    missing: noSuchAdvertisement,
    errors: [fileNotUsable],
    list: listAdvertisementRecords,
    find: findAdvertisement,
    view: async (rows) => rows.map((row) => advertisementView(ctx, row)),
    create: (tx, userId, body) => addAdvertisement(ctx, tx, userId, body),
    change: (tx, userId, row, body) => changeAdvertisement(ctx, tx, userId, row, body),
    remove: (tx, { id }) => removeAdvertisement(ctx, tx, id),
  })
}

export function advertisingRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /advertisingspace', {
    operationId: 'listAdvertisingSpaces',
    summary: 'List advertising spaces',
    access: 'public',
    reply: { 200: Type.Array(AdvertisingSpace) },
    handler: () => readSpaces(ctx),
  })

  route('GET /advertisingspace/advertising', {
    operationId: 'listAdvertisements',
    summary: 'List the advertisements of several spaces',
    access: 'public',
    query: SpacesQuery,
    reply: { 200: Type.Array(Advertisement) },
    handler: ({ query }) => readAdvertisements(ctx, query.space ?? []),
  })

  route('GET /advertisingspace/:space/advertising', {
    operationId: 'listSpaceAdvertisements',
    summary: 'List the advertisements of a space',
    access: 'public',
    params: SpaceParams,
    reply: { 200: Type.Array(Advertisement) },
    errors: [noSuchSpace],
    handler: ({ params }) => readSpace(ctx, params.space),
  })
}

export const module: Module = {
  routes: () => [advertisingRoutes, adminAdvertisingRoutes],
  offers: { findBootAdvertisements: readBootAdvertisements },
}
