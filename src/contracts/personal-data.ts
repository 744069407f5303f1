import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, type Tables, when } from '#platform/database'
import type { Language, Text } from '#platform/errors.ts'

type Column<T extends keyof Tables> = keyof Tables[T] & string

export type PersonalDataReader = { userId: number; language: Language }

export type Bytes = { key: string; path: string; size: number }

/**
 * A table of the personal data export (rights-9). Contains nothing hidden from the user, such as the author
 * of anonymous content or a reporter.
 */
export type PersonalTable = {
  file: string
  about: Text
  table: keyof Tables
  with: readonly (keyof Tables)[]
  owner: string
  /**
   * Index column between owner and key. Rows are read separately for each value of this column, so that the
   * index returns them in order.
   */
  within?: string
  key: readonly string[]
  columns: readonly string[]
  extra?: (sql: Db) => Fragment
  only?: (sql: Db) => Fragment
  hidden?: readonly string[]
  show?: (ctx: Context, rows: Record<string, unknown>[], reader: PersonalDataReader) => Promise<object[]>
  bytes?: (row: Record<string, unknown>) => Bytes
}

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

const PAGE = 200

function shownValue(name: string, value: unknown): unknown {
  const isTime = typeof value === 'string' && /_(at|until)$/.test(name) && value.endsWith('+00')
  return isTime ? `${value.slice(0, 10)}T${value.slice(11, -3)}Z` : value
}

async function groupsOf(sql: Db, { table, owner, within }: PersonalTable, userId: number) {
  if (within === undefined) return [undefined]
  const values = await sql<{ value: string }[]>`
    select distinct ${sql(within)} as value from ${sql(table)} where ${sql(owner)} = ${userId} order by 1`
  return values.map(({ value }) => value)
}

const joined = (sql: Db, parts: Fragment[], between: Fragment): Fragment =>
  parts.length === 0 ? sql`` : parts.reduce((all, part) => sql`${all}${between}${part}`)

type PersonalValues = Record<string, unknown>

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

export type PersonalRow = { shown: object; bytes: Bytes | undefined }

export async function* readPersonal(
  ctx: Context,
  spec: PersonalTable,
  reader: PersonalDataReader,
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
