import type { Db, Fragment, Tx } from '#platform/database'
import { typesOf } from './changes.ts'
import type { Gone, Range, SourceRow } from './table.ts'
import { relation } from './write.ts'

type Key = Record<string, string | ((row: SourceRow) => unknown)>
type Rows = {
  table: string
  /** Column that the ranges of the source split. */
  by?: string
  key?: Key
  /** Name of the `import_targets` that hold the ids, for rows that could not keep theirs. */
  through?: string
  only?(sql: Db): Fragment
}

const within = (sql: Db, { by = 'id', only }: Rows, { from, to }: Range): Fragment =>
  sql`t.${sql(by)} >= ${from} and t.${sql(by)} < ${to} ${only === undefined ? sql`` : sql`and ${only(sql)}`}`

/** Returns a condition that excludes the rows of the source that are still there. */
async function notAmong(
  sql: Db,
  { table, key = { id: 'id' } }: Rows,
  rows: SourceRow[],
): Promise<() => Fragment> {
  const types = await typesOf(sql, table)
  const names = Object.keys(key)
  const columns = Object.fromEntries(names.map((name) => [name, types.get(name) ?? 'text']))
  const there = rows.map((row) =>
    Object.fromEntries(
      Object.entries(key).map(([name, of]) => [name, typeof of === 'string' ? row[of] : of(row)]),
    ),
  )
  const same = names.map((name) => `r."${name}" = t."${name}"`).join(' and ')
  // A fragment itself would run when awaited.
  return () => sql`not exists (select from ${relation(sql, columns, there)} where ${sql.unsafe(same)})`
}

/** Returns a condition that finds the rows whose ids `import_targets` holds for a range. */
const numbered = (sql: Db, through: string, { from, to }: Range): Fragment => sql`
  t.id in (
    select m.target::bigint from import_targets m
    where m.source_table = ${through} and m.source_id >= ${from} and m.source_id < ${to})`

async function remove(tx: Tx, rows: Rows, range: Range, kept: SourceRow[]): Promise<string[]> {
  const gone = await notAmong(tx, rows, kept)
  const key = Object.keys(rows.key ?? { id: 'id' }).map((name) => `t."${name}"`)
  const deleted = await tx<{ key: string }[]>`
    delete from ${tx(rows.table)} t where ${within(tx, rows, range)} and ${gone()}
    returning concat_ws('/', ${tx.unsafe(key.join(', '))}) as key`
  return deleted.map(({ key }) => key)
}

/** Removes rows after the others of their range are read again. */
export const removed = (...of: (Rows | string)[]): Gone => ({
  means: 'remove',
  async after(tx, range, kept) {
    const keys: string[] = []
    for (const [n, each] of of.entries()) {
      const rows = typeof each === 'string' ? { table: each } : each
      const gone = await remove(tx, rows, range, kept)
      keys.push(...(n === 0 ? gone : gone.map((key) => `${rows.table} ${key}`)))
    }
    return keys
  },
})

/** Removes all rows of a range before it is read again, if what becomes of a row depends on the rows before it. */
export const replaced = (...of: (Rows | string)[]): Gone => ({
  means: 'remove',
  async before(tx, range) {
    for (const each of of) {
      const rows = typeof each === 'string' ? { table: each } : each
      await tx`
        delete from ${tx(rows.table)} t
        where ${rows.through === undefined ? within(tx, rows, range) : numbered(tx, rows.through, range)}`
    }
  },
})

/** Removes all rows of a small table that is always read as a whole. */
export const emptied = (...tables: string[]): Gone => ({
  means: 'remove',
  async before(tx) {
    for (const table of tables) await tx`delete from ${tx(table)}`
  },
})

/**
 * Removes rows that others refer to. `detach` moves those to a row that stays, and returns its id if it may be one of
 * the rows.
 */
export const detached = (table: string, detach: (tx: Tx, ids: number[]) => Promise<unknown>): Gone => ({
  means: 'remove',
  async after(tx, range, kept) {
    const rows = { table }
    const isGone = await notAmong(tx, rows, kept)
    const gone = await tx<{ id: number }[]>`
      select id from ${tx(table)} t where ${within(tx, rows, range)} and id > 0 and ${isGone()}`
    const ids = gone.map(({ id }) => id)
    if (ids.length === 0) return []
    const stays = await detach(tx, ids)
    const leaving = ids.filter((id) => id !== stays)
    await tx`delete from ${tx(table)} where id = any(${leaving})`
    return leaving.map(String)
  },
})

export const all = (...parts: Gone[]): Gone => ({
  means: parts[0]?.means ?? 'keep',
  async before(tx, range) {
    for (const part of parts) await part.before?.(tx, range)
  },
  async after(tx, range, kept, known) {
    const keys: string[] = []
    for (const part of parts) keys.push(...((await part.after?.(tx, range, kept, known)) ?? []))
    return keys
  },
})

/** Frees unique names of a range, because other rows may have taken them since the last run. */
export const freed = (table: string, change: (sql: Db) => Fragment, by = 'id'): Gone => ({
  means: 'keep',
  async before(tx, { from, to }) {
    await tx`update ${tx(table)} t set ${change(tx)} where t.${tx(by)} >= ${Math.max(from, 1)} and t.${tx(by)} < ${to}`
  },
})

export const freedNames = (table: string): Gone => freed(table, (sql) => sql`name_key = 'moving ' || id`)

/** Releases payments that waited, before the rows of a range are read again and hold what still waits. */
export const released = (subject: string, through?: string): Gone => ({
  means: 'release',
  async before(tx, { from, to }) {
    await tx`
      delete from import_holds where subject_type = ${subject} and ${
        through === undefined
          ? tx`subject_id >= ${from} and subject_id < ${to}`
          : tx`subject_id in (
              select m.target::bigint from import_targets m
              where m.source_table = ${through} and m.source_id >= ${from} and m.source_id < ${to})`
      }`
  },
})

/** Forgets what vanished rows became. */
export const forgotten = (source: string, key = 'id'): Gone => ({
  means: 'remove',
  async after(tx, { from, to }, _rows, known) {
    await tx`
      delete from import_targets where source_table = ${source} and source_id >= ${from} and source_id < ${to}
        and not source_id = any(${known.map((row) => Number(row[key] ?? 0))}::bigint[])`
    return []
  },
})

/** Forgets pictures that vanished rows wanted. */
export const withoutPictures = (...places: string[]): Gone => ({
  means: 'remove',
  async after(tx, { from, to }, kept) {
    await tx`
      delete from import_pictures where place = any(${places}) and id >= ${from} and id < ${to}
        and not id = any(${kept.map(({ id }) => Number(id ?? 0))}::bigint[])`
    return []
  },
})

export const custom = (means: Gone['means'], effects: Omit<Gone, 'means'>): Gone => ({ means, ...effects })

/** Belongs to Kith itself: the source only changes it. */
export const KEPT: Gone = { means: 'keep' }

export const existing =
  (kind: string, table: string, fact: (sql: Db) => Fragment = (sql) => sql`''`, by = 'id') =>
  (sql: Db, { from, to }: Range): Fragment =>
    sql`
    select ${kind} as kind, id::bigint as id, (${fact(sql)})::text as fact from ${sql(table)}
    where ${sql(by)} >= ${from} and ${sql(by)} < ${to}`

export const targeted =
  (source: string) =>
  (sql: Db, { from, to }: Range): Fragment =>
    sql`
    select ${source} as kind, source_id as id, target as fact from import_targets
    where source_table = ${source} and source_id >= ${from} and source_id < ${to}`
