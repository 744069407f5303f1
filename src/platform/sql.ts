import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'

/** The fragment made of a value that is given, and nothing where it is not. */
export const ifGiven = <T>(sql: Db, value: T | undefined, fragment: (value: T) => Fragment): Fragment =>
  value === undefined ? sql`` : fragment(value)

/** The fragment where the condition holds, else nothing. */
export const when = (sql: Db, condition: boolean, fragment: () => Fragment): Fragment =>
  condition ? fragment() : sql``

/** `asc` or `desc`; newest first unless asked otherwise. */
export const directionOf = (sql: Db, direction: 'asc' | 'desc' = 'desc'): Fragment =>
  direction === 'asc' ? sql`asc` : sql`desc`

/** `and` the column lies past the cursor in this direction; nothing where there is no cursor. */
export const andPast = (
  sql: Db,
  column: Fragment,
  cursor: number,
  direction: 'asc' | 'desc' = 'desc',
): Fragment =>
  when(sql, cursor > 0, () =>
    direction === 'asc' ? sql`and ${column} > ${cursor}` : sql`and ${column} < ${cursor}`,
  )

/**
 * `and` these columns lie past those of one row (conventions-15), which `row` selects by the cursor; nothing without a
 * cursor. A row that is gone has nothing past it.
 */
export const andPastRow = (
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

/** The part of a list that is asked for, after its condition and order: a cursor leaves nothing to skip. */
export const partOf = (
  sql: Db,
  {
    limit,
    offset = 0,
    after,
  }: { limit: number; offset?: number | undefined; after?: number | string | undefined },
): Fragment => sql`limit ${limit} offset ${isCursor(after) ? 0 : offset}`

type ListingQuery = {
  page?: number
  limit?: number
  after?: number | string
  order?: 'asc' | 'desc' | undefined
}

/** What a list is in the order of: `id` alone, or a column before it, and the tables that have both. */
type ListOrder = { id: Fragment; by?: Fragment | undefined; from?: Fragment | undefined }

/** The order of an administrative list, by itself. */
export function orderAt(sql: Db, { order }: ListingQuery, { id, by }: ListOrder): Fragment {
  const direction = directionOf(sql, order)
  return sql`order by ${by === undefined ? sql`` : sql`${by} ${direction},`} ${id} ${direction}`
}

/**
 * How the statement of an administrative list ends, after its `where`: what follows the item `after` or is on the page,
 * in order.
 */
export function listingAt(sql: Db, query: ListingQuery, list: ListOrder): Fragment {
  const { page = 1, limit = 15, after, order = 'desc' } = query
  const { id, by, from } = list
  const past =
    by === undefined
      ? andPastRow(sql, after, id, sql`select ${after ?? 0}::bigint`, order)
      : andPastRow(
          sql,
          after,
          sql`${by}, ${id}`,
          sql`select ${by}, ${id} from ${from ?? sql``} where ${id} = ${after ?? 0}`,
          order,
        )
  return sql`
    ${past} ${orderAt(sql, query, list)}
    ${partOf(sql, { limit, offset: isCursor(after) ? 0 : (page - 1) * limit })}`
}

/**
 * `and` the column contains the text in any script (conventions-34), which `<column>_grams` and `<column>_key` tell;
 * nothing without a text.
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
