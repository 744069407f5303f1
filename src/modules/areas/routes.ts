import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { AreaSearch, FoundArea } from './schema.ts'
import { findPlaces } from './service.ts'

/** Places to choose from (feeds-32). */
export function areaRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /locations/search', {
    operationId: 'searchAreas',
    summary: 'Find up to five places by a part of their name',
    access: 'public',
    kept: 'each',
    query: AreaSearch,
    reply: { 200: Type.Array(FoundArea) },
    handler: ({ query }) => findPlaces(ctx.sql, query.name),
  })

  route('GET /locations/hots', {
    operationId: 'listHotLocations',
    summary: 'List the places that are chosen most, as the administration wrote them',
    access: 'public',
    kept: 'each',
    reply: { 200: Type.Array(Type.String()) },
    returns: 'The names of places.',
    handler: async () => (await readSettings(ctx))['locations:hots'],
  })
}
