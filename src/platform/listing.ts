import type postgres from 'postgres'
import { Cursor, Direction, Int, OneOf, Page, Text, type TObject, Type } from '#platform/schema.ts'

/** The rows of an administrative list with their number over all pages (administration-2), fetched side by side. */
export async function pageOf<Row extends object>(
  rows: postgres.PendingQuery<postgres.Row[]>,
  total: postgres.PendingQuery<postgres.Row[]>,
): Promise<{ data: Row[]; total: number }> {
  const [data, [counted]] = await Promise.all([rows, total])
  return { data: data as unknown as Row[], total: (counted as { total: number }).total }
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
