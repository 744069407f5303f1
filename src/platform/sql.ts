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

/** The part of an administrative list that a page number means. */
export const pageAt = (sql: Db, { page = 1, limit = 15 }: { page?: number; limit?: number }): Fragment =>
  sql`limit ${limit} offset ${(page - 1) * limit}`

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
