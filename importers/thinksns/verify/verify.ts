import { createConnection, type RowDataPacket } from 'mysql2/promise'
import type { Sql } from '#platform/database'
import { type Environment, withContext } from '../../../src/commands/context.ts'
import { connectionOf, type SourceAddress } from '../database/address.ts'
import { CHECKS, type Check } from './checks.ts'

const WINDOW = 20_000
const SHOWN = 10

type Ask = (statement: string, values: number[]) => Promise<{ id: number; value: string | null }[]>
type Found = { same: number; told: number; here: number[]; there: number[]; differing: number[] }

export const verifyThinkSns = (
  env: Environment,
  { prefix = '', ...address }: SourceAddress & { prefix?: string },
): Promise<number> =>
  withContext(env, ({ ctx }) =>
    verify(ctx.sql, address, prefix, (line) => void process.stdout.write(`${line}\n`)),
  )

/** Compares both databases and ends with *go* or *no go*. Returns the exit code. */
export async function verify(
  sql: Sql,
  address: SourceAddress,
  prefix: string,
  print: (line: string) => void,
): Promise<number> {
  const options = await connectionOf(address)
  const source = await createConnection({ ...options, charset: 'utf8mb4', dateStrings: true })
  try {
    await source.query('set session group_concat_max_len = 65535')
    await source.query('start transaction with consistent snapshot, read only')
    const [listed] = await source.query<RowDataPacket[]>(
      'select table_name as name from information_schema.tables where table_schema = ?',
      [options.database],
    )
    const tables = new Set(listed.map(({ name }) => String(name)))
    const named = (statement: string) =>
      statement.replace(/\{(\w+)\}/g, (_, table: string) => `\`${prefix}${table}\``)
    const there: Ask = async (statement, values) => {
      const [rows] = await source.query<RowDataPacket[]>(named(statement), values)
      return rows.map(({ id, value }) => ({ id: Number(id), value: value === null ? null : String(value) }))
    }
    const here: Ask = async (statement, values) => {
      const bounded = statement.replace(/\$(\d)/g, (_, n: string) => String(values[Number(n) - 1]))
      const rows = await sql<{ id: number; value: string | null }[]>`${sql.unsafe(bounded)}`
      return rows.map(({ id, value }) => ({ id: Number(id), value }))
    }
    let isGo = true
    for (const check of CHECKS) {
      if (!check.needs.every((table) => tables.has(`${prefix}${table}`))) continue
      const found = await compare(sql, check, here, there)
      const faults = faultsOf(check, found)
      if (faults.length > 0) isGo = false
      const told = found.told > 0 ? `, ${found.told} in the report of the import` : ''
      print(`${faults.length === 0 ? '✓' : '✗'} ${check.name}: ${found.same} the same${told}`)
      for (const fault of faults) print(`  ${fault}`)
    }
    print(isGo ? 'go' : 'no go')
    return isGo ? 0 : 1
  } finally {
    await source.end()
  }
}

function faultsOf({ atMost }: Check, { here, there, differing }: Found): string[] {
  const line = (ids: number[], what: string) =>
    ids.length === 0
      ? []
      : [`${ids.length} ${what}: ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`]
  return [
    ...line(here, 'here without a source'),
    ...(atMost ? [] : line(there, 'missing here')),
    ...line(differing, 'differ'),
  ]
}

async function compare(sql: Sql, check: Check, here: Ask, there: Ask): Promise<Found> {
  const found: Found = { same: 0, told: 0, here: [], there: [], differing: [] }
  const lastOf = async (ask: Ask, statement: string) => {
    const [row] = await ask(`select max(id) as id, null as value from (${statement}) t`, [
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    ])
    return row?.id ?? 0
  }
  const last = Math.max(await lastOf(here, check.here), await lastOf(there, check.there))
  for (let from = 1; from <= last; from += WINDOW) {
    const window = [from, from + WINDOW - 1]
    const ours = new Map((await here(check.here, window)).map(({ id, value }) => [id, value]))
    const told = await toldIds(sql, check, window)
    for (const { id, value } of await there(check.there, window)) {
      const isHere = ours.has(id)
      const isSame = isHere && (ours.get(id) ?? '') === (value ?? '')
      ours.delete(id)
      if (isSame) found.same += 1
      else if (told.has(`${isHere ? 'changed' : 'skipped'} ${id}`)) found.told += 1
      else if (isHere) found.differing.push(id)
      else found.there.push(id)
    }
    found.here.push(...ours.keys())
  }
  return found
}

/** Returns what the report of the import says about a window: rows that it skipped, and rows that it changed. */
async function toldIds(sql: Sql, { told, column }: Check, [from, to]: number[]): Promise<Set<string>> {
  if (told === undefined) return new Set()
  const rows = await sql<{ line: string }[]>`
    select distinct case outcome when 'mended' then 'changed ' else 'skipped ' end || row_key as line
    from import_notes
    where source_table = ${told} and row_key ~ '^[0-9]{1,15}$' and row_key::bigint between ${from ?? 0} and ${to ?? 0}
      and (outcome <> 'mended' or source_column = ${column ?? ''})`
  return new Set(rows.map(({ line }) => line))
}
