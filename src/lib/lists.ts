export function byId<Row extends { id: number | string }>(rows: Iterable<Row>): Map<Row['id'], Row> {
  const found = new Map<Row['id'], Row>()
  for (const row of rows) found.set(row.id, row)
  return found
}

export function groupBy<Row, Key>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Row[]> {
  return Map.groupBy(rows, keyOf)
}

export function distinct<Row, Field extends keyof Row>(rows: Iterable<Row>, field: Field): Row[Field][] {
  const values = new Set<Row[Field]>()
  for (const row of rows) values.add(row[field])
  return [...values]
}

/** Maximum number of reads for one page. A longer run of hidden rows results in a short page. */
const ROUNDS = 10

/**
 * Fills a page with the items that `keep` returns for the rows of `list`. Reads until the page is full,
 * because clients treat a short page as the last page. Each read takes `batch` rows, by default as many as
 * the page still lacks.
 */
export async function fillPage<Row extends { id: number }, Item>(
  { after, limit, batch }: { after: number; limit: number; batch?: number },
  list: (after: number, limit: number) => PromiseLike<Row[]>,
  keep: (rows: Row[]) => Promise<Item[]>,
): Promise<Item[]> {
  const found: Item[] = []
  let cursor = after
  for (let round = 0; round < ROUNDS && found.length < limit; round += 1) {
    const wanted = batch ?? limit - found.length
    const rows = await list(cursor, wanted)
    found.push(...(await keep(rows)))
    if (rows.length < wanted) break
    cursor = rows.at(-1)!.id
  }
  return found.slice(0, limit)
}
