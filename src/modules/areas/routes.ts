import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { AreaSearch, FoundArea } from './schema.ts'
import { findPlaces } from './service.ts'

/** Places to choose from (R §23.3). */
export function areaRoutes(server: Server, ctx: Context) {
  const tags = ['Site']

  server.get(
    '/locations/search',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Up to five places by a part of their name',
        querystring: AreaSearch,
        response: { 200: Type.Array(FoundArea) },
      },
    },
    (request) => findPlaces(ctx.sql, request.query.name),
  )

  server.get(
    '/locations/hots',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Places that are chosen most, as the administration wrote them',
        response: { 200: Type.Array(Type.String()) },
      },
    },
    async () => (await readSettings(ctx))['locations:hots'],
  )
}
