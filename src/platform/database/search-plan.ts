import { gramsOfQuery } from '#lib/text.ts'
import type { Db } from './database.ts'

/** Share of the rows above which looking a piece up costs more than it excludes. */
const USELESS = 0.02
/** Share of the rows above which the newest `SCANNED` have a page of them. */
const FREQUENT = 0.002
/** Number of newest rows to search without an index. */
export const SCANNED = 20_000

/**
 * Decides how to search a text in `<column>_grams`, by the statistics of the planner: by which of its pieces, and
 * whether among the newest rows first, because all of them are frequent. The caller rechecks with like.
 */
export async function planSearch(
  sql: Db,
  table: string,
  column: string,
  text: string,
): Promise<{ grams: string[]; isFrequent: boolean }> {
  const grams = gramsOfQuery(text)
  const rows = await sql<{ gram: string; share: number }[]>`
    select e.gram, e.share from pg_stats s,
      unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (gram, share)
    where s.schemaname = 'public' and s.tablename = ${table} and s.attname = ${`${column}_grams`}
      and e.gram = any(${grams})`
  const shares = new Map(rows.map(({ gram, share }) => [gram, share]))
  const useful = grams.filter((gram) => (shares.get(gram) ?? 0) <= USELESS)
  return {
    grams: useful.length > 0 ? useful : grams,
    isFrequent: grams.every((gram) => (shares.get(gram) ?? 0) > FREQUENT),
  }
}
