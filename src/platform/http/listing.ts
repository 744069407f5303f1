import { cachedTotal, type Db, type Fragment, type ListingQuery } from '#platform/database'
import { Cursor, Direction, Limit, OneOf, Page, Text, type TObject, Type } from './schema.ts'

/**
 * Reads a page of rows and the total number of rows in parallel. A large total may be minutes old
 * (administration-2).
 */
export async function pageOf<Row extends object>(
  sql: Db,
  rows: Fragment,
  counting: Fragment,
): Promise<{ data: Row[]; total: number }> {
  const [data, total] = await Promise.all([rows, cachedTotal(sql, counting)])
  return { data: data as unknown as Row[], total }
}

/**
 * Fills a page of search results from the newest rows, without counting all matches. Returns undefined in
 * ascending order, or when no match follows the page.
 */
export async function pageOfNewest<Row extends object>(
  { page = 1, limit = 15, after, order = 'desc' }: ListingQuery,
  find: (most: number) => PromiseLike<Row[]>,
): Promise<{ data: Row[]; total: number; more: true } | undefined> {
  if (order !== 'desc') return
  const shown = after ? limit : page * limit
  const rows = await find(shown + 1)
  if (rows.length <= shown) return
  return { data: rows.slice(shown - limit, shown), total: shown + 1, more: true }
}

export const listingQuery = <const T extends readonly [string, ...string[]]>(sorts: T) => ({
  page: Page,
  after: Cursor,
  limit: Limit(),
  sort: Type.Optional(OneOf(sorts, { default: sorts[0] })),
  order: Direction,
  q: Type.Optional(Text(100)),
})

/** Reply of every administrative list (administration-2). */
export const Listing = <T extends TObject>(item: T) => {
  const { title } = item as { title?: string }
  return Type.Object(
    {
      data: Type.Array(item),
      total: Type.Integer(),
      more: Type.Optional(
        Type.Literal(true, {
          description: 'Set when counting stopped early, so that `total` is a lower bound',
        }),
      ),
    },
    title === undefined ? {} : { title: `${title}Listing` },
  )
}
