import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from './database.ts'
import type { Value } from './statement.ts'

/** Returns the fragment for a given value; empty for undefined. */
export const ifGiven = <T>(sql: Db, value: T | undefined, fragment: (value: T) => Fragment): Fragment =>
  value === undefined ? sql`` : fragment(value)

/** `(columns) values (…)` for an insert of a row, with its keys as columns. */
export const insertValues = (sql: Db, row: Record<string, Value>): Fragment => {
  const columns = Object.keys(row)
  const separated = (pieces: Fragment[]) => pieces.map((piece, at) => (at === 0 ? piece : sql`, ${piece}`))
  return sql`(${separated(columns.map((column) => sql`${sql(column)}`))})
    values (${separated(columns.map((column) => sql`${row[column] as Value}`))})`
}

export const assignments = (sql: Db, changes: Record<string, Value>): Fragment =>
  sql`${Object.entries(changes).map(([column, value], at) => sql`${at === 0 ? sql`` : sql`,`} ${sql(column)} = ${value}`)}`

/** Returns the fragment if the condition holds; empty otherwise. */
export const when = (sql: Db, condition: boolean, fragment: () => Fragment): Fragment =>
  condition ? fragment() : sql``

/** `asc` or `desc`; newest first by default. */
export const sortDirection = (sql: Db, direction: 'asc' | 'desc' = 'desc'): Fragment =>
  direction === 'asc' ? sql`asc` : sql`desc`

/** `and` the column is past the cursor in this direction; empty without a cursor. */
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
 * `and` these columns are past those of the row that `row` selects by the cursor (conventions-15); empty
 * without a cursor. A missing row has nothing past it.
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

/** The limit of a page, after its condition and order. With a cursor the offset is 0. */
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

/** Order of a list: `id` alone, or a column before it, and the tables with both. */
type ListOrder = { id: Fragment; by?: Fragment | undefined; from?: Fragment | undefined }

export function listingOrder(sql: Db, { order }: ListingQuery, { id, by }: ListOrder): Fragment {
  const direction = sortDirection(sql, order)
  return sql`order by ${by === undefined ? sql`` : sql`${by} ${direction},`} ${id} ${direction}`
}

/**
 * End of the statement of an administrative list, after its `where`: the rows after the item `after` or on
 * the page, in order.
 */
export function listingClause(sql: Db, query: ListingQuery, list: ListOrder): Fragment {
  const { page = 1, limit = 15, after, order = 'desc' } = query
  const { id, by, from } = list
  const past =
    by === undefined
      ? andAfterRow(sql, after, id, sql`select ${after ?? 0}::bigint`, order)
      : andAfterRow(
          sql,
          after,
          sql`${by}, ${id}`,
          sql`select ${by}, ${id} from ${from ?? sql``} where ${id} = ${after ?? 0}`,
          order,
        )
  return sql`
    ${past} ${listingOrder(sql, query, list)}
    ${limitClause(sql, { limit, offset: isCursor(after) ? 0 : (page - 1) * limit })}`
}

/**
 * `and` the column contains the text in any script (conventions-34), by `<column>_grams` and `<column>_key`;
 * empty without a text.
 */
export function andContains(sql: Db, column: string, text: string | undefined): Fragment {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () =>
      sql`and ${sql(`${column}_grams`)} @> ${gramsOfQuery(key)} and ${sql(`${column}_key`)} like ${`%${escapeLike(key)}%`}`,
  )
}
