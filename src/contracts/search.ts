import type { Context } from '#platform/context.ts'
import type { TObject } from '#platform/http'

export type SearchPage = { q: string; after: number; limit: number; viewerId: number }

/** Returns items in the form of the kind's own list, without items hidden from the viewer. */
export type Searchable = {
  type: string
  item: TObject
  find(ctx: Context, page: SearchPage): Promise<object[]>
}
