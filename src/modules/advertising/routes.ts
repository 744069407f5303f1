import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { noSuchSpace } from './errors.ts'
import { Advertisement, AdvertisingSpace, SpaceParams, SpacesQuery } from './schema.ts'
import { readAdvertisements, readSpace, readSpaces } from './service.ts'

/** Advertisements as clients fetch them (feeds-34). */
export function advertisingRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /advertisingspace', {
    operationId: 'listAdvertisingSpaces',
    summary: 'List where advertisements are shown',
    access: 'public',
    kept: 'each',
    reply: { 200: Type.Array(AdvertisingSpace) },
    handler: () => readSpaces(ctx),
  })

  route('GET /advertisingspace/advertising', {
    operationId: 'listAdvertisements',
    summary: 'List the advertisements of several spaces',
    access: 'public',
    kept: 'each',
    query: SpacesQuery,
    reply: { 200: Type.Array(Advertisement) },
    handler: ({ query }) => readAdvertisements(ctx, query.space ?? []),
  })

  route('GET /advertisingspace/:space/advertising', {
    operationId: 'listSpaceAdvertisements',
    summary: 'List the advertisements of a space',
    access: 'public',
    kept: 'each',
    params: SpaceParams,
    reply: { 200: Type.Array(Advertisement) },
    errors: [noSuchSpace],
    handler: ({ params }) => readSpace(ctx, params.space),
  })
}
