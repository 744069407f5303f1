import type { Db } from '#platform/database'
import { type Originals, originalOf } from './originals.ts'
import type { Into, SourceRow, TableImport } from './table.ts'
import { relation } from './write.ts'

export type Change = { row: SourceRow; column: string; old: unknown; new: unknown }

/** Placeholder for a value that Kith generates. The comparison accepts any stored value. */
export const ANYTHING = Symbol('anything')

/** Treats null and 0 as equal, because the source uses both for a missing reference. */
export const orNone = { as: (value: unknown) => value || null, of: (value: unknown) => value || null }
export const flag = {
  as: (value: unknown) => (value === 1 ? true : value === 0 || value === null ? false : value),
}
export const numberInText = {
  as: (value: unknown) => (value === null || String(value).trim() === '' ? null : Number(value)),
}
export const textOrNone = { as: (value: unknown) => (value === '' ? null : value) }

const types = new Map<string, Promise<Map<string, string>>>()

export function typesOf(sql: Db, table: string): Promise<Map<string, string>> {
  const known = types.get(table)
  if (known !== undefined) return known
  const found = sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.then(
    (rows) => new Map(rows.map(({ name, type }) => [name, type])),
  )
  types.set(table, found)
  return found
}

function comparedColumns(table: TableImport, into: Into) {
  const elsewhere = new Set(table.into?.flatMap((other) => (other === into ? [] : (other.only ?? []))))
  const names = into.only ?? Object.keys(table.columns).filter((name) => !elsewhere.has(name))
  return names.flatMap((name) => {
    const kept = into.columns?.[name]
    if (kept === null) return []
    const rule = typeof kept === 'string' ? { column: kept } : (kept ?? {})
    return [{ name, target: rule.column ?? name, as: rule.as, of: rule.of }]
  })
}

function isSame(expected: unknown, found: unknown, isTime: boolean): boolean {
  if (expected === ANYTHING || expected === found) return true
  if (expected === null || expected === undefined) return found === null || found === undefined
  if (found === null || found === undefined) return false
  if (isTime) return Date.parse(String(expected)) === Date.parse(String(found))
  if (typeof expected === 'number') return Number(found) === expected
  return typeof expected === 'object' && JSON.stringify(expected) === JSON.stringify(found)
}

export async function findChanges(
  sql: Db,
  table: TableImport,
  rows: SourceRow[],
  originals: Originals,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const into of table.into ?? []) {
    const own = into.when === undefined ? rows : rows.filter(into.when)
    if (own.length > 0) changes.push(...(await changesIn(sql, table, into, own, originals)))
  }
  return changes
}

async function changesIn(
  sql: Db,
  table: TableImport,
  into: Into,
  rows: SourceRow[],
  originals: Originals,
): Promise<Change[]> {
  const compared = comparedColumns(table, into)
  const known = await typesOf(sql, into.table)
  const key = Object.entries(into.key ?? { id: 'id' })
  const wanted = rows.map((row, n) => ({
    n,
    ...Object.fromEntries(key.map(([name, of]) => [`k_${name}`, typeof of === 'string' ? row[of] : of(row)])),
  }))
  const columns = {
    n: 'int',
    ...Object.fromEntries(key.map(([name]) => [`k_${name}`, known.get(name) ?? 'text'])),
  }
  const listed = [...new Set(compared.map(({ target }) => target))]
  const shown = listed.map((name) => `, t."${name}" as "v_${name}"`).join('')
  const same = key.map(([name]) => `t."${name}" = r."k_${name}"`).join(' and ')
  const found = await sql<Record<string, unknown>[]>`
    select r.n ${sql.unsafe(shown)} from ${relation(sql, columns, wanted)}
    ${
      into.through === undefined
        ? sql`join ${sql(into.table)} t on ${sql.unsafe(same)}`
        : sql`
          join import_targets m on m.source_table = ${into.through} and m.source_id = r.k_id
          join ${sql(into.table)} t on t.id = m.target::bigint`
    }`
  const here = new Map(found.map((row) => [Number(row.n), row]))
  return rows.flatMap((row, n): Change[] => {
    const target = here.get(n)
    if (!target) return [{ row, column: table.key[0] ?? '', old: row[table.key[0] ?? ''], new: null }]
    return compared.flatMap(({ name, target: column, as, of }) => {
      const value = target[`v_${column}`] ?? null
      const original = originalOf(originals, row, name)
      const old = original ?? row[name] ?? null
      const expected = as ? as(row[name] ?? null, row) : (row[name] ?? null)
      const isTime = table.columns[name] === 'time'
      if (original === undefined && isSame(expected, of ? of(value) : value, isTime)) return []
      return expected === ANYTHING ? [] : [{ row, column: name, old, new: value }]
    })
  })
}

export function reasonOf({ old, new: value }: Change, isTime: boolean): string {
  const isEmpty = value === null || value === ''
  if (isTime && old !== null) return isEmpty ? 'invalid date: left empty' : 'invalid date: set to a default'
  if (typeof old === 'string' && old.includes('\0')) return 'NUL bytes removed'
  if (old === null || old === '') return 'empty in the source: set to a default'
  if (isEmpty) return 'value not supported: left empty'
  if (typeof old === 'string' && typeof value === 'string') {
    if (value === old.trim()) return 'surrounding spaces removed'
    if (old.trim() === '') return 'blank in the source: set to a default'
  }
  return 'value not supported: replaced'
}
