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

/** The part of an administrative list that a page number means. */
export const pageAt = (sql: Db, { page = 1, limit = 15 }: { page?: number; limit?: number }): Fragment =>
  sql`limit ${limit} offset ${(page - 1) * limit}`
