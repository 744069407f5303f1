import { createConnection, type QueryOptions } from 'mysql2'
import { readClock } from '#lib/time.ts'
import { connectionOf, faultOf, type SourceAddress } from './address.ts'
import { noteOriginal, type Originals } from './originals.ts'
import type { SourceRow, TableImport } from './table.ts'
import { EPOCH } from './times.ts'

export type Chunk = { chunk: number; rows: number; checksum: string }

export type Source = {
  tables: Map<string, Set<string>>
  count(table: string): Promise<number>
  /** Returns true if a column has a value in any row. */
  isFilled(table: string, column: string): Promise<boolean>
  sum(table: string, column: string, only?: { column: string; value: number }): Promise<number>
  chunks(table: TableImport): Promise<Chunk[]>
  /** Returns the ranges with rows that refer to one of `ids` in `column`. */
  chunksWith(table: TableImport, column: string, ids: number[]): Promise<number[]>
  read(table: TableImport, chunk: number, originals: Originals): AsyncGenerator<SourceRow[]>
  close(): Promise<void>
}

const DEFAULT_WIDTH = 5000
const DEFAULT_BATCH = 1000
const BATCH_CHARACTERS = 2_000_000

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``

const NOWHERE = -1

const ENDS = new Set(['deleted_at', 'expires_at'])

const IDS_AT_ONCE = 20_000

const chunkOf = ({ by, width = DEFAULT_WIDTH }: TableImport) =>
  by === null ? '0' : `case when ${quote(by)} >= 0 then floor(${quote(by)} / ${width}) else ${NOWHERE} end`

/** One more than the greatest exact integer, so that a larger one still shows as too large. PostgreSQL rejects those above 2^63. */
const LARGEST = Number.MAX_SAFE_INTEGER + 1

export const rangeOf = ({ by, width = DEFAULT_WIDTH }: TableImport, chunk: number) =>
  by === null
    ? { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }
    : chunk === NOWHERE
      ? { from: Number.MIN_SAFE_INTEGER, to: 0 }
      : { from: chunk * width, to: (chunk + 1) * width }

/**
 * Opens the source in one transaction, so that all reads see one snapshot. Does not set `time_zone`, because the
 * source wrote its times in the server's zone.
 */
export async function openSource(
  address: SourceAddress,
  { zone, prefix = '' }: { zone: string; prefix?: string | undefined },
): Promise<Source> {
  const options = await connectionOf(address)
  const clock = readClock(zone)
  const tables = new Map<string, Set<string>>()
  const connection = createConnection({
    ...options,
    charset: 'utf8mb4',
    dateStrings: true,
    supportBigNumbers: true,
  })
  // A lost connection already rejects the running query. Without a listener, the `error` event would also end the
  // process.
  connection.on('error', () => {})
  const query = <Row>(sql: string, values: unknown[] = []) =>
    new Promise<Row[]>((resolve, reject) => {
      connection.query({ sql, values } as QueryOptions, (error, rows) =>
        error ? reject(new Error(faultOf(error, options))) : resolve(rows as Row[]),
      )
    })
  try {
    await query('set session transaction isolation level repeatable read')
    await query('start transaction with consistent snapshot, read only')
    // Raises the timeouts of the source's server, because a streamed query waits while Kith writes.
    await query('set session net_write_timeout = 86400, wait_timeout = 604800')
    for (const row of await query<{ t: string; c: string }>(
      'select table_name as t, column_name as c from information_schema.columns where table_schema = ?',
      [options.database],
    )) {
      if (!row.t.startsWith(prefix)) continue
      const name = row.t.slice(prefix.length)
      tables.set(name, (tables.get(name) ?? new Set()).add(row.c))
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
  const named = (table: string) => quote(`${prefix}${table}`)
  const present = (table: TableImport) =>
    Object.keys(table.columns).filter((name) => tables.get(table.table)?.has(name))
  const scopes = new Map<string, unknown[]>()

  /** Returns a condition on the leading index column, so that reading a range needs no full scan. */
  async function scopeOf({ table, scope }: TableImport): Promise<{ condition: string; values: unknown[] }> {
    if (scope === undefined) return { condition: '', values: [] }
    let values = scopes.get(table)
    if (!values) {
      const found = await query<{ v: unknown }>(`select distinct ${quote(scope)} as v from ${named(table)}`)
      values = found.map(({ v }) => v)
      scopes.set(table, values)
    }
    const filled = values.filter((value) => value !== null)
    const isIn = `${quote(scope)} in (?)`
    return {
      condition: `${filled.length < values.length ? `(${isIn} or ${quote(scope)} is null)` : isIn} and`,
      values: [filled.length > 0 ? filled : ['']],
    }
  }

  return {
    tables,
    async count(table) {
      const [row] = await query<{ n: number }>(`select count(*) as n from ${named(table)}`)
      return Number(row?.n)
    },
    async isFilled(table, column) {
      const rows = await query(
        `select 1 from ${named(table)} where nullif(cast(${quote(column)} as char), '') not in ('0') limit 1`,
      )
      return rows.length > 0
    },
    async sum(table, column, only) {
      if (!tables.get(table)?.has(column)) return 0
      const where = only === undefined ? '' : `where ${quote(only.column)} = ?`
      const [row] = await query<{ n: string }>(
        `select cast(coalesce(sum(${quote(column)}), 0) as char) as n from ${named(table)} ${where}`,
        only === undefined ? [] : [only.value],
      )
      return Number(row?.n)
    },
    async chunks(table) {
      const parts = present(table).map((name) => `coalesce(crc32(${quote(name)}), 'n')`)
      const chunk = chunkOf(table)
      const rows = await query<{ chunk: number; n: number; sum: string }>(`
        select ${chunk} as chunk, count(*) as n, cast(sum(crc32(concat_ws(',', ${parts.join(', ')}))) as char) as sum
        from ${named(table.table)} group by 1 order by 1`)
      return rows.map(({ chunk, n, sum }) => ({
        chunk: Number(chunk),
        rows: Number(n),
        checksum: `${n}:${sum}:${parts.length}`,
      }))
    },
    async chunksWith(table, column, ids) {
      if (!tables.get(table.table)?.has(column)) return []
      const found = new Set<number>()
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
        const rows = await query<{ chunk: number }>(
          `select distinct ${chunkOf(table)} as chunk from ${named(table.table)} where ${quote(column)} in (?)`,
          [ids.slice(at, at + IDS_AT_ONCE)],
        )
        for (const { chunk } of rows) found.add(Number(chunk))
      }
      return [...found]
    },
    async *read(table, chunk, originals) {
      const { by, columns, batch = DEFAULT_BATCH } = table
      const names = present(table)
      const { from, to } = rangeOf(table, chunk)
      const scope = await scopeOf(table)
      const range =
        by === null
          ? '1 = 1'
          : chunk === NOWHERE
            ? `(${quote(by)} is null or ${quote(by)} < 0)`
            : `${quote(by)} >= ? and ${quote(by)} < ?`
      const order = [...new Set([...(by === null ? [] : [by]), ...(table.order ?? table.key)])].filter(
        (name) => names.includes(name),
      )
      const stream = connection
        .query({
          sql: `select ${names.map(quote).join(', ')} from ${named(table.table)} where ${scope.condition} ${range}
            ${order.length > 0 ? `order by ${order.map(quote).join(', ')}` : ''}`,
          values: [...scope.values, ...(by === null || chunk === NOWHERE ? [] : [from, to])],
        } as QueryOptions)
        .stream({ highWaterMark: Math.min(batch, 500) })
      let rows: SourceRow[] = []
      let characters = 0
      const kinds = Object.entries(columns)
      for await (const found of stream as AsyncIterable<Record<string, string | number | null>>) {
        const row: Record<string, string | number | null> = {}
        for (const [name, kind] of kinds) {
          const value = found[name] ?? null
          const given = value === null ? null : String(value)
          if (given === null) row[name] = null
          else if (kind === 'time') {
            const time = clock(given)
            if (time === null) noteOriginal(originals, row, name, given)
            // An unreadable end is an end: such a row is deleted, and such a pin no longer waits.
            row[name] = time ?? (ENDS.has(name) ? EPOCH : null)
          } else if (kind === 'int') {
            row[name] = Math.max(-LARGEST, Math.min(Number(given), LARGEST))
            if (String(row[name]) !== given) noteOriginal(originals, row, name, given)
          } else {
            // PostgreSQL rejects NUL characters in texts.
            const text = given.replaceAll('\0', '')
            if (text !== given) noteOriginal(originals, row, name, given)
            row[name] = text
            characters += text.length
          }
        }
        rows.push(row as SourceRow)
        if (rows.length >= batch || characters >= BATCH_CHARACTERS) {
          yield rows
          ;[rows, characters] = [[], 0]
        }
      }
      if (rows.length > 0) yield rows
    },
    close: () => new Promise((resolve) => connection.end(() => resolve())),
  }
}
