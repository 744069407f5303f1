import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import type { Searchable } from '#platform/search.ts'

/** How many of one kind a page has, and how many of each where all are asked for. */
const PAGE = 15
const EACH = 5
/** More of every kind at once would be a page of pages. */
const EACH_MAX = 20

type Search = {
  q: string
  type?: string | undefined
  limit?: number | undefined
  after?: number | undefined
}

/** Finds a part of a name, title or text in one kind of things or in all of them, side by side (search-1). */
export async function search(
  ctx: Context,
  kinds: readonly Searchable[],
  viewerId: number,
  { q, type, limit, after = 0 }: Search,
): Promise<Record<string, object[]>> {
  if (type === undefined && after > 0)
    throw invalidField('after', { en: 'Say which type to go on with.', zh: '翻页时须指定 type。' })
  const asked = type === undefined ? kinds : kinds.filter((kind) => kind.type === type)
  const page = {
    q,
    after,
    limit: type === undefined ? Math.min(limit ?? EACH, EACH_MAX) : (limit ?? PAGE),
    viewerId,
  }
  // A text that shows nothing is in no name, rather than in all of them.
  const isEmpty = nameKey(q) === ''
  const found = await Promise.all(asked.map((kind) => (isEmpty ? [] : kind.find(ctx, page))))
  return Object.fromEntries(asked.map((kind, index) => [kind.type, found[index] ?? []]))
}
