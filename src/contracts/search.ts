import type { Context } from '#platform/context.ts'
import type { TObject } from '#platform/http'

/** A search: newest first, below the id `after` unless it is 0. */
export type SearchPage = { q: string; after: number; limit: number; viewerId: number }

/** Search of one kind. It returns what the kind's own list shows this viewer, in the same form. */
export type Searchable = {
  /** Name of the kind on the wire (conventions-24). */
  type: string
  item: TObject
  find(ctx: Context, page: SearchPage): Promise<object[]>
}
