import { locateAddress } from '#modules/areas/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { addressUnknown } from './errors.ts'
import { deletePlace, upsertPlace } from './queries.ts'
import { AddressQuery, FoundAddress, NearbyQuery, PersonNearby, PlaceBody, PlaceStored } from './schema.ts'
import { coarsePlace, findPeopleNearby } from './service.ts'
import { foundAddress } from './view.ts'

/** People nearby, at the path that existing clients ask. */
export function nearbyRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  route('GET /around-amap', {
    operationId: 'listPeopleNearby',
    summary: 'List people near a place, the nearest first',
    access: 'user',
    query: NearbyQuery,
    reply: { 200: Type.Array(PersonNearby) },
    handler: ({ query, viewer }) => findPeopleNearby(ctx, viewer.id, query),
  })

  route('GET /around-amap/geo', {
    operationId: 'findAddress',
    summary: 'Find where an address is, by the names of areas',
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
    summary: 'Say where I am, to be found by people nearby for 30 days',
    access: 'user',
    body: PlaceBody,
    reply: { 201: PlaceStored },
    handler: async ({ body, viewer, request }) => {
      await upsertPlace(sql, viewer.id, coarsePlace(body))
      return { ...say(request, 'Your place is known now.', '位置已更新。'), _id: String(viewer.id) }
    },
  })

  route('DELETE /around-amap', {
    operationId: 'deletePlace',
    summary: 'Be found by nobody nearby any more',
    access: 'user',
    reply: { 204: Empty },
    handler: async ({ viewer }) => {
      await deletePlace(sql, viewer.id)
    },
  })
}
