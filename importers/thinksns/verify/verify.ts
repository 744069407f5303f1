import { createHash } from 'node:crypto'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import type { Sql } from '#platform/database'
import { type Environment, withContext } from '../../../src/commands/context.ts'
import { connectionOf, type SourceAddress } from '../database/address.ts'
import { type FileSource, openFiles } from '../database/files.ts'
import { findImport, markVerified } from '../database/state.ts'
import { CHECKS, type Check } from './checks.ts'

const WINDOW = 20_000
const SHOWN = 10

type Ask = (statement: string, values: number[]) => Promise<{ id: number; value: string | null }[]>
type Found = {
  same: number
  told: number
  disabled: number
  here: number[]
  there: number[]
  differing: number[]
}

export const verifyThinkSns = (
  env: Environment,
  { prefix = '', files, ...address }: SourceAddress & { prefix?: string; files?: string },
): Promise<number> =>
  withContext(env, async ({ ctx }) =>
    verify(ctx.sql, address, {
      prefix,
      files: files === undefined ? undefined : await openFiles(files, ctx.config.s3),
      print: (line) => void process.stdout.write(`${line}\n`),
    }),
  )

/** Compares both databases and ends with *go* or *no go*. Returns the exit code. */
export async function verify(
  sql: Sql,
  address: SourceAddress,
  {
    prefix = '',
    files,
    print,
  }: { prefix?: string; files?: FileSource | undefined; print(line: string): void },
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
    let isGo = await requireRun(sql, print)
    const disabled = await listDisabled(here, there)
    for (const check of CHECKS) {
      if (!check.needs.every((table) => tables.has(`${prefix}${table}`))) continue
      const found = await compare(sql, check, here, there, disabled)
      const faults = faultsOf(check, found)
      if (faults.length > 0) isGo = false
      const told = found.told > 0 ? `, ${found.told} in the report of the import` : ''
      const gone = found.disabled > 0 ? `, ${found.disabled} of disabled users without a source` : ''
      print(`${faults.length === 0 ? '✓' : '✗'} ${check.name}: ${found.same} the same${told}${gone}`)
      for (const fault of faults) print(`  ${fault}`)
    }
    if (files !== undefined && tables.has(`${prefix}file_withs`)) {
      const { same, told, removed, differing, lost } = await compareFiles(files, here, there)
      const faults = [...faultLine(differing, 'differ'), ...faultLine(lost, 'neither here nor in the report')]
      if (faults.length > 0) isGo = false
      print(
        `${faults.length === 0 ? '✓' : '✗'} bytes of files: ${same} the same, ${told} not copied, as the report says, ` +
          `${removed} here but no longer in the old files`,
      )
      for (const fault of faults) print(`  ${fault}`)
    }
    for (const line of await sumStatements(sql)) print(line)
    for (const line of faultLine(
      [...disabled].sort((a, b) => a - b),
      'users disabled, because the old site has no row of them',
    ))
      print(line)
    if (isGo) await markVerified(sql)
    print(isGo ? 'go' : 'no go')
    return isGo ? 0 : 1
  } finally {
    await source.end()
  }
}

/** Returns false after a run that failed, because the databases may be equal where it stopped. */
async function requireRun(sql: Sql, print: (line: string) => void): Promise<boolean> {
  const [there] = await sql<[{ there: boolean }]>`select to_regclass('imports') is not null as there`
  const before = there.there ? await findImport(sql) : undefined
  if (!before) throw new Error('this database contains no import: run `kith import thinksns` first')
  if (before.finished_at === null) print('✗ the last run has not finished: repeat it')
  return before.finished_at !== null
}

const faultLine = (ids: number[], what: string): string[] =>
  ids.length === 0
    ? []
    : [`${ids.length} ${what}: ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`]

const faultsOf = ({ atMost }: Check, { here, there, differing }: Found): string[] => [
  ...faultLine(here, 'here without a source'),
  ...(atMost ? [] : faultLine(there, 'missing here')),
  ...faultLine(differing, 'differ'),
]

const FILES_AT_ONCE = 500

/** Compares the bytes of the old files with the hashes that Kith stored when it copied them. */
async function compareFiles(files: FileSource, here: Ask, there: Ask) {
  const found = { same: 0, told: 0, removed: 0, differing: [] as number[], lost: [] as number[] }
  for (let after = 0; ; ) {
    const paths = await there(
      `select id, filename as value from {files} where id > ? order by id limit ${FILES_AT_ONCE}`,
      [after],
    )
    const last = paths.at(-1)
    if (!last) return found
    const hashes = await here(
      `select u.content_id as id, case when f.size > 0 then encode(f.md5, 'hex') when exists (
          select from import_notes n where n.source_table = 'bytes of files' and n.chunk = 0
            and n.row_key = concat('file ', u.content_id, ' of user ', u.owner_id)) then 'told' end as value
        from import_uploads u join files f on f.id = u.file_id where u.content_id between $1 and $2`,
      [after + 1, last.id],
    )
    const stored = Map.groupBy(hashes, ({ id }) => id)
    for (const { id, value } of paths) {
      const wanted = stored.get(id) ?? []
      if (wanted.some((each) => each.value === null)) found.lost.push(id)
      const copied = wanted.filter((each) => each.value !== null && each.value !== 'told')
      if (wanted.some((each) => each.value === 'told')) found.told += 1
      if (copied.length === 0) continue
      const hash = await files.read((value ?? '').replace(/^\/+/, ''), async (bytes) =>
        typeof bytes === 'string' ? undefined : createHash('md5').update(bytes).digest('hex'),
      )
      if (hash === undefined) found.removed += 1
      else if (copied.every((each) => each.value === hash)) found.same += 1
      else found.differing.push(id)
    }
    after = last.id
  }
}

/** Sums what became of the money of all people, as the statements of the report do for each. */
async function sumStatements(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select concat(currency, ': ', string_agg(concat(part, ' ', amount), ', ' order by part)) as line from (
      select currency, 'opening by ' || source as part, sum(amount) as amount from import_balances group by 1, 2
      union all
      select currency, case when given_back then 'refunded' else 'in escrow' end, sum(amount) from import_holds group by 1, 2
      union all
      select case source_table when 'currencies' then 'points' else 'wallet' end, 'skipped (' || reason || ')',
        sum(coalesce(nullif(trim('"' from was), 'null')::numeric, 0)
          - case outcome when 'mended' then coalesce(nullif(trim('"' from became), 'null')::numeric, 0) else 0 end)
      from import_notes where source_table in ('currencies', 'wallet', 'wallets') and source_column in ('sum', 'balance')
      group by 1, 2
      union all
      select currency, 'balances here', sum(balance) from ledger_accounts where owner_id > 0 group by 1
    ) parts where amount <> 0 group by currency order by currency`
  return rows.map(({ line }) => line)
}

const USERS_AT_ONCE = 2000

/** Users whose rows the old site deleted. The import disables them, and keeps their content and money. */
async function listDisabled(here: Ask, there: Ask): Promise<Set<number>> {
  const found = new Set<number>()
  for (let after = 0; ; ) {
    const ours = await here(
      `select id, '' as value from users where id > $1 and deleted_at is not null order by id limit ${USERS_AT_ONCE}`,
      [after],
    )
    const last = ours.at(-1)
    if (!last) return found
    const theirs = await there(
      `select id, '' as value from {users} where id in (${ours.map(() => '?').join(', ')})`,
      ours.map(({ id }) => id),
    )
    const kept = new Set(theirs.map(({ id }) => id))
    for (const { id } of ours) if (!kept.has(id)) found.add(id)
    after = last.id
  }
}

async function compare(sql: Sql, check: Check, here: Ask, there: Ask, disabled: Set<number>): Promise<Found> {
  const found: Found = { same: 0, told: 0, disabled: 0, here: [], there: [], differing: [] }
  const lastOf = async (ask: Ask, statement: string) => {
    const [row] = await ask(`select max(id) as id, null as value from (${statement}) t`, [
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    ])
    return row?.id ?? 0
  }
  const last = Math.max(await lastOf(here, check.here), await lastOf(there, check.there))
  const keyOf = (id: number, value: string | null) => (check.of === 'pairs' ? `${id} ${value}` : `${id}`)
  const isMatch = (ours: string, theirs: string) =>
    check.of === 'amounts' ? Number(ours) <= Number(theirs) : ours === theirs
  for (let from = 1; from <= last; from += WINDOW) {
    const window = [from, from + WINDOW - 1]
    const ours = new Map(
      (await here(check.here, window)).map((each) => [keyOf(each.id, each.value), each] as const),
    )
    const told = await toldIds(sql, check, window)
    for (const { id, value } of await there(check.there, window)) {
      const key = keyOf(id, value)
      const row = ours.get(key)
      const isHere = row !== undefined
      const isSame = isHere && isMatch(row.value ?? '', value ?? '')
      ours.delete(key)
      if (isSame) found.same += 1
      else if (told.has(`${isHere ? 'changed' : 'skipped'} ${id}`)) found.told += 1
      else if (isHere) found.differing.push(id)
      else found.there.push(id)
    }
    for (const id of new Set([...ours.values()].map(({ id }) => id)))
      if (check.byUser && disabled.has(id)) found.disabled += 1
      else found.here.push(id)
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
