import type { Db, Fragment } from '#platform/database.ts'
import { Cursor, Direction, Int, OneOf, Page, Text, type TObject, Type } from '#platform/schema.ts'
import { totalOf } from '#platform/totals.ts'

/**
 * The rows of an administrative list with their number over all pages, fetched side by side. `counting` answers it as
 * `total`; of many rows it may be one that was counted minutes ago (administration-2).
 */
export async function pageOf<Row extends object>(
  sql: Db,
  rows: Fragment,
  counting: Fragment,
): Promise<{ data: Row[]; total: number }> {
  const [data, total] = await Promise.all([rows, totalOf(sql, counting)])
  return { data: data as unknown as Row[], total }
}

/**
 * The query of every administrative list: `sort` takes the columns named, the first by default. `after` goes on after an
 * item, whatever the page.
 */
export const listingQuery = <const T extends readonly [string, ...string[]]>(sorts: T) => ({
  page: Page,
  after: Cursor,
  limit: Type.Optional(Int(1, 100, { default: 15 })),
  sort: Type.Optional(OneOf(sorts, { default: sorts[0] })),
  order: Direction,
  q: Type.Optional(Text(100)),
})

/** The reply of an administrative list: a page of items and their number over all pages. */
export const Listing = <T extends TObject>(item: T) => {
  const { title } = item as { title?: string }
  return Type.Object(
    { data: Type.Array(item), total: Type.Integer() },
    title === undefined ? {} : { title: `${title}Listing` },
  )
}
