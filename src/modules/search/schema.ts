import { Cursor, Int, OneOf, Shared, Text, Type } from '#platform/schema.ts'
import type { Searchable } from '#platform/search.ts'

/** What is looked for, in one kind or in all. */
export const SearchQuery = (kinds: readonly Searchable[]) =>
  Type.Object({
    q: Text(100, { minLength: 1 }),
    type: Type.Optional(OneOf(kinds.map(({ type }) => type))),
    limit: Type.Optional(Int(1, 100, { description: '15 of one kind, 5 of each without `type`' })),
    after: Cursor,
  })

/** What was found, by kind; only the kinds that were asked for are there. */
export const SearchResults = (kinds: readonly Searchable[]) =>
  Shared(
    'SearchResults',
    Object.fromEntries(kinds.map(({ type, item }) => [type, Type.Optional(Type.Array(item))])),
  )
