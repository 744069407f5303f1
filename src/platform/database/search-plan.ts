import { gramsOfQuery } from '#lib/text.ts'
import type { Db } from './database.ts'

/** A gram in more than this fraction of the rows is too frequent to narrow the search. */
const USELESS = 0.02
/**
 * When every gram is in more than this fraction of the rows, the newest rows probably contain a full page
 * of matches.
 */
const FREQUENT = 0.002
export const SCANNED = 20_000

/**
 * Chooses the grams to search by, from planner statistics. `isFrequent` means that a scan of the newest
 * rows probably finds a full page of matches.
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
