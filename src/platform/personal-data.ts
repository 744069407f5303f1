import type { Context } from '#platform/context.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { Language, Text } from '#platform/errors.ts'
import { ifGiven, when } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'

type Column<T extends keyof Tables> = keyof Tables[T] & string

/** For whom rows are shown, and in which language. */
export type Reader = { userId: number; language: Language }

/** Where the bytes are that a row is about, what they are called in the archive, and how many they are. */
export type Bytes = { key: string; path: string; size: number }

/**
 * What of a table a person takes along (rights-9). It holds nothing that they may not see by themselves: no author who is
 * hidden, no moderator, no reporter.
 */
export type PersonalTable = {
  /** The name of its file in the archive. */
  file: string
  about: Text
  table: keyof Tables
  /** Tables whose rows are shown with those of this one. */
  with: readonly (keyof Tables)[]
  /** Whose a row is. */
  owner: string
  /** Rows are read by each value of this column, where an index has it between the owner and the key. */
  within?: string
  /** In which order the rows of one person are read; together with the owner it names one row. */
  key: readonly string[]
  columns: readonly string[]
  /** More columns, each begun with a comma, of a row `t`. */
  extra?: (sql: Db) => Fragment
  /** Which rows, begun with `and`. */
  only?: (sql: Db) => Fragment
  /** Columns that are read for `show` and `bytes` and not told. */
  hidden?: readonly string[]
  show?: (ctx: Context, rows: Record<string, unknown>[], reader: Reader) => Promise<object[]>
  bytes?: (row: Record<string, unknown>) => Bytes
}

/** Declares a table of people's data; its columns are held against the database by the compiler. */
export const personalTable = <const T extends keyof Tables>(
  options: Omit<PersonalTable, 'table' | 'with' | 'owner' | 'within' | 'key' | 'columns' | 'hidden'> & {
    table: T
    with?: readonly (keyof Tables)[]
    owner?: Column<T>
    within?: Column<T>
    key: readonly Column<T>[]
    columns: readonly Column<T>[]
    hidden?: readonly Column<T>[]
  },
): PersonalTable => ({ owner: 'user_id', with: [], ...options })

/** So many rows are in memory at once. */
const PAGE = 200

/** A time as ISO 8601, anything else as it is. */
function shownValue(name: string, value: unknown): unknown {
  const isTime = typeof value === 'string' && /_(at|until)$/.test(name) && value.endsWith('+00')
  return isTime ? `${value.slice(0, 10)}T${value.slice(11, -3)}Z` : value
}

/** The values of the column that the rows of a person are read by; without one all are read together. */
async function groupsOf(sql: Db, { table, owner, within }: PersonalTable, userId: number) {
  if (within === undefined) return [undefined]
  const values = await sql<{ value: string }[]>`
    select distinct ${sql(within)} as value from ${sql(table)} where ${sql(owner)} = ${userId} order by 1`
  return values.map(({ value }) => value)
}

/** Fragments one after the other, with this between them. */
const joined = (sql: Db, parts: Fragment[], between: Fragment): Fragment =>
  parts.length === 0 ? sql`` : parts.reduce((all, part) => sql`${all}${between}${part}`)

type PersonalValues = Record<string, unknown>

/** A page of a person's rows in the order of the key, past the row that is given. */
const listRows = (sql: Db, spec: PersonalTable, userId: number, group?: string, after?: PersonalValues) => {
  const comma = sql`, `
  const key = spec.key.map((name) => sql`t.${sql(name)}`)
  const places = key.map((column, index) => sql`${column} as ${sql(`place ${index}`)}`)
  const columns = [...new Set([...spec.columns, ...(spec.hidden ?? [])])].map((name) => sql`t.${sql(name)}`)
  const order = () => joined(sql, key, comma)
  const past = () => {
    const place = key.map((_column, index) => sql`${after?.[`place ${index}`] as string}`)
    return sql`and (${order()}) > (${joined(sql, place, comma)})`
  }
  return sql<PersonalValues[]>`
    select ${joined(sql, [...places, ...columns], comma)} ${spec.extra?.(sql) ?? sql``}
    from ${sql(spec.table)} t where t.${sql(spec.owner)} = ${userId}
      ${ifGiven(sql, group, (value) => sql`and t.${sql(spec.within ?? '')} = ${value}`)}
      ${spec.only?.(sql) ?? sql``} ${when(sql, after !== undefined, past)}
    order by ${order()} limit ${PAGE}`
}

/** A row as it is told, and where its bytes are. */
export type PersonalRow = { shown: object; bytes: Bytes | undefined }

/** Everything of a table that is a person's, page by page. */
export async function* readPersonal(
  ctx: Context,
  spec: PersonalTable,
  reader: Reader,
): AsyncGenerator<PersonalRow[]> {
  for (const group of await groupsOf(ctx.sql, spec, reader.userId)) {
    let after: PersonalValues | undefined
    do {
      const rows: PersonalValues[] = await listRows(ctx.sql, spec, reader.userId, group, after)
      after = rows.length === PAGE ? rows.at(-1) : undefined
      const shown = spec.show
        ? await spec.show(ctx, rows, reader)
        : rows.map((row) => shownRow(row, spec.hidden ?? []))
      yield shown.map((each, index) => ({ shown: each, bytes: spec.bytes?.(rows[index] ?? {}) }))
    } while (after)
  }
}

const shownRow = (row: PersonalValues, hidden: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !name.startsWith('place ') && !hidden.includes(name))
      .map(([name, value]) => [name, shownValue(name, value)]),
  )
