import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { Advertisement, AdvertisingSpace, SpaceParams, SpacesQuery } from './schema.ts'
import { readAdvertisements, readSpace, readSpaces } from './service.ts'

/** Advertisements as clients fetch them (R §23.4). */
export function advertisingRoutes(server: Server, ctx: Context) {
  const tags = ['Site']
  const advertisements = { 200: Type.Array(Advertisement) }

  server.get(
    '/advertisingspace',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Where advertisements are shown',
        response: { 200: Type.Array(AdvertisingSpace) },
      },
    },
    () => readSpaces(ctx),
  )

  server.get(
    '/advertisingspace/advertising',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'The advertisements of several spaces',
        querystring: SpacesQuery,
        response: advertisements,
      },
    },
    (request) => readAdvertisements(ctx, request.query.space ?? []),
  )

  server.get(
    '/advertisingspace/:space/advertising',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'The advertisements of a space',
        params: SpaceParams,
        response: advertisements,
      },
    },
    (request) => readSpace(ctx, request.params.space),
  )
}
