import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import type { Searchable } from '#platform/search.ts'
import { SearchQuery, SearchResults } from './schema.ts'
import { search } from './service.ts'

/** One search over all that is published (search-1). */
export const searchRoutes = (kinds: readonly Searchable[]) => {
  const query = SearchQuery(kinds)
  const results = SearchResults(kinds)
  return (server: Server, ctx: Context) => {
    const route = routesOn(server, ctx, { tag: 'Search' })

    route('GET /search', {
      operationId: 'search',
      summary:
        'Find people, feeds, topics, articles, questions, groups and songs by a part of their name or text',
      description:
        'Without `type` the first few of each kind; with it a page of one kind, which goes on below the id `after`.',
      access: 'optional',
      query,
      reply: { 200: results },
      handler: async ({ query: asked, viewer }) =>
        (await search(ctx, kinds, viewer.id, asked)) as Record<string, Record<string, unknown>[]>,
    })
  }
}
