import type { Context } from '#platform/context.ts'
import type { TObject } from '#platform/http'

/** Lists newest results first, below the id `after` unless `after` is 0. */
export type SearchPage = { q: string; after: number; limit: number; viewerId: number }

/** Returns items that the kind's own list shows to this viewer, in the same form. */
export type Searchable = {
  type: string
  item: TObject
  find(ctx: Context, page: SearchPage): Promise<object[]>
}
