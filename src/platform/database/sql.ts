import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from './database.ts'
import type { Value } from './statement.ts'

export const ifGiven = <T>(sql: Db, value: T | undefined, fragment: (value: T) => Fragment): Fragment =>
  value === undefined ? sql`` : fragment(value)

export const insertValues = (sql: Db, row: Record<string, Value>): Fragment => {
  const columns = Object.keys(row)
  const separated = (pieces: Fragment[]) => pieces.map((piece, at) => (at === 0 ? piece : sql`, ${piece}`))
  return sql`(${separated(columns.map((column) => sql`${sql(column)}`))})
    values (${separated(columns.map((column) => sql`${row[column] as Value}`))})`
}

export const assignments = (sql: Db, changes: Record<string, Value>): Fragment =>
  sql`${Object.entries(changes).map(([column, value], at) => sql`${at === 0 ? sql`` : sql`,`} ${sql(column)} = ${value}`)}`

export const when = (sql: Db, condition: boolean, fragment: () => Fragment): Fragment =>
  condition ? fragment() : sql``

export const sortDirection = (sql: Db, direction: 'asc' | 'desc' = 'desc'): Fragment =>
  direction === 'asc' ? sql`asc` : sql`desc`

export const andAfterCursor = (
  sql: Db,
  column: Fragment,
  cursor: number,
  direction: 'asc' | 'desc' = 'desc',
): Fragment =>
  when(sql, cursor > 0, () =>
    direction === 'asc' ? sql`and ${column} > ${cursor}` : sql`and ${column} < ${cursor}`,
  )

/**
 * Adds a keyset condition on the columns of the cursor's row (conventions-15). Matches nothing when that row
 * is missing.
 */
export const andAfterRow = (
  sql: Db,
  cursor: number | string | undefined,
  columns: Fragment,
  row: Fragment,
  direction: 'asc' | 'desc' = 'desc',
): Fragment =>
  when(sql, isCursor(cursor), () =>
    direction === 'asc' ? sql`and (${columns}) > (${row})` : sql`and (${columns}) < (${row})`,
  )

const isCursor = (cursor: number | string | undefined): boolean => cursor !== undefined && cursor !== 0

/** Uses offset 0 with a cursor, because the keyset condition already skips earlier rows. */
export const limitClause = (
  sql: Db,
  {
    limit,
    offset = 0,
    after,
  }: { limit: number; offset?: number | undefined; after?: number | string | undefined },
): Fragment => sql`limit ${limit} offset ${isCursor(after) ? 0 : offset}`

export type ListingQuery = {
  page?: number
  limit?: number
  after?: number | string
  order?: 'asc' | 'desc' | undefined
}

/** `by` is the column to sort by before `id`, and `from` names the tables with both columns. */
type ListOrder = { id: Fragment; by?: Fragment | undefined; from?: Fragment | undefined }

export function listingOrder(sql: Db, { order }: ListingQuery, { id, by }: ListOrder): Fragment {
  const direction = sortDirection(sql, order)
  return sql`order by ${by === undefined ? sql`` : sql`${by} ${direction},`} ${id} ${direction}`
}

export function listingClause(sql: Db, query: ListingQuery, list: ListOrder): Fragment {
  const { page = 1, limit = 15, after, order = 'desc' } = query
  const { id, by, from } = list
  const columns = by === undefined ? id : sql`${by}, ${id}`
  const row =
    by === undefined
      ? sql`select ${after ?? 0}::bigint`
      : sql`select ${columns} from ${from ?? sql``} where ${id} = ${after ?? 0}`
  return sql`
    ${andAfterRow(sql, after, columns, row, order)} ${listingOrder(sql, query, list)}
    ${limitClause(sql, { limit, offset: (page - 1) * limit, after })}`
}

/** Filters by text in any script (conventions-34). The gram index narrows the rows that `like` rechecks. */
export function andContains(sql: Db, column: string, text: string | undefined): Fragment {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () =>
      sql`and ${sql(`${column}_grams`)} @> ${gramsOfQuery(key)} and ${sql(`${column}_key`)} like ${`%${escapeLike(key)}%`}`,
  )
}
