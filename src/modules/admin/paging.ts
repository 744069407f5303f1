import type postgres from 'postgres'
import { Direction, Int, OneOf, Page, Text, Type } from '#platform/schema.ts'

/** The rows of an administrative list with their number over all pages (decisions §12), fetched side by side. */
export async function pageOf<Row extends object>(
  rows: postgres.PendingQuery<postgres.Row[]>,
  total: postgres.PendingQuery<postgres.Row[]>,
): Promise<{ data: Row[]; total: number }> {
  const [data, [counted]] = await Promise.all([rows, total])
  return { data: data as unknown as Row[], total: (counted as { total: number }).total }
}

/** The query of every administrative list: `sort` takes the columns named, the first by default. */
export const listingQuery = <const T extends readonly [string, ...string[]]>(sorts: T) => ({
  page: Page,
  limit: Type.Optional(Int(1, 100, { default: 15 })),
  sort: Type.Optional(OneOf(sorts, { default: sorts[0] })),
  order: Direction,
  q: Type.Optional(Text(100)),
})
