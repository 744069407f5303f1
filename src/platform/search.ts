import type { Context } from '#platform/context.ts'
import type { TObject } from '#platform/schema.ts'

/** What is looked for: newest first, below the id `after` where that is not 0. */
export type SearchPage = { q: string; after: number; limit: number; viewerId: number }

/** How one kind of things is searched. It finds what its own list would show this viewer, in the form of that list. */
export type Searchable = {
  /** The name of the kind on the wire (conventions-24). */
  type: string
  /** What is found. */
  item: TObject
  find(ctx: Context, page: SearchPage): Promise<object[]>
}
