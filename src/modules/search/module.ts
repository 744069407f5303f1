import type { Searchable } from '#contracts/search.ts'
import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import { Cursor, Int, OneOf, routesOn, type Server, Shared, Text, Type } from '#platform/http'
import type { Module } from '../../module.ts'

const PAGE = 15
const EACH = 5
/** Maximum results per kind in a search across all kinds. */
const EACH_MAX = 20

type Search = {
  q: string
  type?: string | undefined
  limit?: number | undefined
  after?: number | undefined
}

async function search(
  ctx: Context,
  kinds: readonly Searchable[],
  viewerId: number,
  { q, type, limit, after = 0 }: Search,
): Promise<Record<string, object[]>> {
  if (type === undefined && after > 0)
    throw invalidField('after', { en: 'The after field requires a type.', zh: '翻页时须指定类型（type）。' })
  const asked = type === undefined ? kinds : kinds.filter((kind) => kind.type === type)
  const page = {
    q,
    after,
    limit: type === undefined ? Math.min(limit ?? EACH, EACH_MAX) : (limit ?? PAGE),
    viewerId,
  }
  // Finds nothing for a text without visible characters, because an empty search key matches every row.
  const isEmpty = nameKey(q) === ''
  const found = await Promise.all(asked.map((kind) => (isEmpty ? [] : kind.find(ctx, page))))
  return Object.fromEntries(asked.map((kind, index) => [kind.type, found[index] ?? []]))
}

const SearchQuery = (kinds: readonly Searchable[]) =>
  Type.Object({
    q: Text(100, { minLength: 1 }),
    type: Type.Optional(OneOf(kinds.map(({ type }) => type))),
    limit: Type.Optional(Int(1, 100, { description: 'Default 15 with `type`, and 5 of each type without' })),
    after: Cursor,
  })

const SearchResults = (kinds: readonly Searchable[]) =>
  Shared(
    'SearchResults',
    Object.fromEntries(kinds.map(({ type, item }) => [type, Type.Optional(Type.Array(item))])),
  )

export const searchRoutes = (kinds: readonly Searchable[]) => {
  const query = SearchQuery(kinds)
  const results = SearchResults(kinds)
  return (server: Server, ctx: Context) => {
    const route = routesOn(server, ctx, { tag: 'Search' })

    route('GET /search', {
      operationId: 'search',
      summary: 'Search people, feeds, topics, articles, questions, groups and songs by name or text',
      description:
        'Without `type`, returns the first few results of each type. With `type`, returns a page of results with ids below `after`.',
      access: 'optional',
      query,
      reply: { 200: results },
      handler: async ({ query: asked, viewer }) =>
        (await search(ctx, kinds, viewer.id, asked)) as Record<string, Record<string, unknown>[]>,
    })
  }
}

export const module: Module = {
  tags: {
    Search: { place: 26, about: 'Search in all published content.' },
  },
  routes: (site) => [searchRoutes(site.searchables)],
}
