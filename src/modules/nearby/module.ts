import { personalTable } from '#contracts/personal-data.ts'
import { type LocatedArea, locateAddress } from '#modules/areas/index.ts'
import type { Context } from '#platform/context.ts'
import { Empty, localizedMessage, routesOn, type Server, Type } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import {
  AddressQuery,
  addressUnknown,
  coarsePlace,
  deleteOldPlaces,
  deletePlace,
  FoundAddress,
  findPeopleNearby,
  NearbyQuery,
  PersonNearby,
  PlaceBody,
  PlaceStored,
  upsertPlace,
} from './service.ts'

const LEVELS = ['国家', '省', '市', '区县']

/**
 * Converts an area to the response format of a map service (nearby-4). The first area of `path` is the
 * country.
 */
const foundAddress = ({ path, longitude, latitude }: LocatedArea): FoundAddress => ({
  status: '1',
  info: 'OK',
  infocode: '10000',
  count: '1',
  geocodes: [
    {
      formatted_address: path.slice(path.length > 1 ? 1 : 0).join(''),
      province: path[1] ?? '',
      city: path[2] ?? '',
      district: path[3] ?? '',
      location: `${longitude},${latitude}`,
      level: LEVELS[path.length - 1] ?? '',
    },
  ],
})

export function nearbyRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  route('GET /around-amap', {
    operationId: 'listPeopleNearby',
    summary: 'List people near a location, nearest first',
    access: 'user',
    query: NearbyQuery,
    reply: { 200: Type.Array(PersonNearby) },
    handler: ({ query, viewer }) => findPeopleNearby(ctx, viewer.id, query),
  })

  route('GET /around-amap/geo', {
    operationId: 'findAddress',
    summary: 'Geocode an address by the names of areas',
    access: 'user',
    personal: true,
    query: AddressQuery,
    reply: { 200: FoundAddress },
    errors: [addressUnknown],
    handler: async ({ query }) => {
      const area = await locateAddress(sql, query.address)
      if (!area) throw addressUnknown()
      return foundAddress(area)
    },
  })

  route('POST /around-amap', {
    operationId: 'setPlace',
    summary: 'Share my location with people nearby for 30 days',
    access: 'user',
    body: PlaceBody,
    reply: { 201: PlaceStored },
    handler: async ({ body, viewer, request }) => {
      await upsertPlace(sql, viewer.id, coarsePlace(body))
      return {
        ...localizedMessage(request, 'Your location was stored.', '位置已更新。'),
        _id: String(viewer.id),
      }
    },
  })

  route('DELETE /around-amap', {
    operationId: 'deletePlace',
    summary: 'Remove my location from people nearby',
    access: 'user',
    reply: { 204: Empty },
    handler: async ({ viewer }) => {
      await deletePlace(sql, viewer.id)
    },
  })
}

const BATCH = 5000

export const nearbyTasks = ({ sql }: Context): TaskList => ({
  tidy_places: async () => {
    while ((await deleteOldPlaces(sql, BATCH)) === BATCH);
  },
})

export const nearbySchedules: Schedule[] = [{ task: 'tidy_places', pattern: '41 3 * * *' }]

export const placePersonal = [
  personalTable({
    file: 'place',
    about: { en: 'Location at which others find you nearby', zh: '您在“附近”中的位置' },
    table: 'user_places',
    key: ['user_id'],
    columns: ['longitude', 'latitude', 'created_at', 'updated_at'],
  }),
]

export const module: Module = {
  routes: () => [nearbyRoutes],
  personalData: { place: 7, tables: placePersonal },
  erase: deletePlace,
  tasks: () => [nearbyTasks],
  schedules: nearbySchedules,
}
