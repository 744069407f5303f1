import type { Context } from '#platform/context.ts'
import type { TObject } from '#platform/http'

export type SearchPage = { q: string; after: number; limit: number; viewerId: number }

/**
 * Searches one kind of content. Items have the format of the kind's list endpoint and are visible to the
 * viewer.
 */
export type Searchable = {
  type: string
  item: TObject
  find(ctx: Context, page: SearchPage): Promise<object[]>
}
