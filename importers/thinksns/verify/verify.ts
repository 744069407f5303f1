import { createHash } from 'node:crypto'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { nodeKey } from '#modules/files/index.ts'
import type { Sql } from '#platform/database'
import type { Storage } from '#platform/files'
import { type Environment, withContext } from '../../../src/commands/context.ts'
import { connectionOf, type SourceAddress } from '../database/address.ts'
import { type FileSource, openFiles } from '../database/files.ts'
import { findImport, type ImportState, listReadTables, markVerified } from '../database/state.ts'
import type { Check } from './check.ts'
import { CHECKS } from './checks.ts'
import { TOTALS } from './rows.ts'
import { compareSettings } from './settings.ts'

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
  { prefix, files, ...address }: SourceAddress & { prefix?: string; files?: string },
): Promise<number> =>
  withContext(env, async ({ ctx }) =>
    verify(ctx.sql, address, {
      prefix,
      files: files === undefined ? undefined : await openFiles(files, ctx.config.s3),
      storage: ctx.storage,
      print: (line) => void process.stdout.write(`${line}\n`),
    }),
  )

/** Compares both databases and ends with *go* or *no go*. Returns the exit code. */
export async function verify(
  sql: Sql,
  address: SourceAddress,
  {
    prefix: given,
    files,
    storage,
    print,
  }: {
    prefix?: string | undefined
    files?: FileSource | undefined
    storage?: Storage
    print(line: string): void
  },
): Promise<number> {
  const before = await requireRun(sql)
  const prefix = given ?? String(before.options.prefix ?? '')
  const options = await connectionOf(address)
  const source = await createConnection({ ...options, charset: 'utf8mb4', dateStrings: true })
  try {
    await source.query('set session group_concat_max_len = 65535')
    await source.query('start transaction with consistent snapshot, read only')
    const [listed] = await source.query<RowDataPacket[]>(
      'select table_name as `table`, column_name as name from information_schema.columns where table_schema = ?',
      [options.database],
    )
    const tables = Map.groupBy(listed, ({ table }) => String(table))
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
    if (!['users', 'migrations'].every((table) => tables.has(`${prefix}${table}`)))
      throw new Error('this database contains no ThinkSNS+ tables: check --database and --prefix')
    // After a run that failed, the databases may be equal where it stopped.
    if (before.finished_at === null) print('✗ the last run has not finished: repeat it')
    const lost = (await listReadTables(sql)).filter((table) => !tables.has(`${prefix}${table}`))
    if (lost.length > 0) print(`✗ tables that the last run read and this database lacks: ${lost.join(', ')}`)
    let isGo = before.finished_at !== null && lost.length === 0
    const disabled = await listDisabled(here, there)
    for (const each of CHECKS) {
      if (!each.needs.every((table) => tables.has(`${prefix}${table}`))) continue
      const names = new Set(tables.get(`${prefix}${each.needs[0]}`)?.map(({ name }) => String(name)))
      const check = withCells(each, names)
      const found = await compare(sql, check, here, there, disabled)
      const faults = faultsOf(check, found)
      if (faults.length > 0) isGo = false
      const told = found.told > 0 ? `, ${found.told} in the report of the import` : ''
      const gone = found.disabled > 0 ? `, ${found.disabled} of disabled users without a source` : ''
      print(`${faults.length === 0 ? '✓' : '✗'} ${check.name}: ${found.same} the same${told}${gone}`)
      for (const fault of faults) print(`  ${fault}`)
    }
    for (const { name, tables: counted, here: shown } of TOTALS) {
      const present = counted.filter((table) => tables.has(`${prefix}${table}`))
      if (present.length === 0) continue
      const [ours, theirs, told] = [
        await countRows((statement) => here(statement, []), shown),
        await countRows(
          (statement) => there(statement, []),
          present.map((table) => `{${table}}`),
        ),
        await countSkipped(sql, present),
      ]
      const isEqual = ours === theirs - told
      if (!isEqual) isGo = false
      print(
        `${isEqual ? '✓' : '✗'} ${name}: ${ours} here, ${theirs} in the source, ${told} in the report of the import`,
      )
    }
    const settings = await compareSettings(
      sql,
      async (statement) => (await source.query<RowDataPacket[]>(named(statement)))[0],
      (table) => tables.has(`${prefix}${table}`),
    )
    if (settings.differing.length > 0) isGo = false
    print(
      `${settings.differing.length === 0 ? '✓' : '✗'} settings: ${settings.same} the same, ${settings.told} in the report of the import`,
    )
    for (const line of faultLine(settings.differing, 'differ')) print(`  ${line}`)
    for (const [name, found] of files === undefined
      ? []
      : [
          ...(tables.has(`${prefix}file_withs`)
            ? [['bytes of files', await compareFiles({ files, storage }, here, there)] as const]
            : []),
          ['bytes of pictures', await comparePictures(sql, { files, storage })] as const,
        ]) {
      const { same, told, removed, differing, lost, absent } = found
      const faults = [
        ...faultLine(differing, 'differ'),
        ...faultLine(lost, 'neither here nor in the report'),
        ...faultLine(absent, 'not in the store: check STORAGE and DATA_DIR'),
      ]
      if (faults.length > 0) isGo = false
      print(
        `${faults.length === 0 ? '✓' : '✗'} ${name}: ${same} the same, ${told} not copied, as the report says, ` +
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

async function requireRun(sql: Sql): Promise<ImportState> {
  const [there] = await sql<[{ there: boolean }]>`select to_regclass('imports') is not null as there`
  const before = there.there ? await findImport(sql) : undefined
  if (!before) throw new Error('this database contains no import: run `kith import thinksns` first')
  return before
}

const faultLine = (ids: (number | string)[], what: string): string[] =>
  ids.length === 0
    ? []
    : [`${ids.length} ${what}: ${ids.slice(0, SHOWN).join(', ')}${ids.length > SHOWN ? ', …' : ''}`]

const faultsOf = ({ atMost, atLeast }: Check, { here, there, differing }: Found): string[] => [
  ...(atLeast ? [] : faultLine(here, 'here without a source')),
  ...(atMost ? [] : faultLine(there, 'missing here')),
  ...faultLine(differing, 'differ'),
]

async function countRows(ask: (statement: string) => ReturnType<Ask>, tables: string[]): Promise<number> {
  let sum = 0
  for (const table of tables) {
    const [row] = await ask(`select count(*) as id, null as value from ${table}`)
    sum += row?.id ?? 0
  }
  return sum
}

async function countSkipped(sql: Sql, tables: string[]): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*) as n from import_notes where source_table = any(${tables}) and outcome <> 'mended'`
  return row.n
}

const FILES_AT_ONCE = 500

type Bytes = {
  same: number
  told: number
  removed: number
  differing: string[]
  lost: string[]
  absent: string[]
}

type Stores = { files: FileSource; storage: Storage | undefined }

/**
 * Adds the comparison of one old file with its copies to `found`. A copy is the MD5 hash of the bytes that were read and
 * the key under which the store has them, *told* if the report says why there is none, or null.
 */
async function addBytes(
  found: Bytes,
  { files, storage }: Stores,
  { name, path, copies }: { name: string; path: string; copies: (string | null)[] },
): Promise<void> {
  if (copies.includes(null)) found.lost.push(name)
  if (copies.includes('told')) found.told += 1
  const copied = copies.flatMap((each) => {
    const [hash = '', key = ''] = each?.split(' ') ?? []
    return key === '' ? [] : [{ hash, key }]
  })
  if (copied.length === 0) return
  for (const { key } of copied)
    if (storage && (await storage.writtenAt(key)) === undefined) {
      found.absent.push(name)
      break
    }
  const hash = await files.read(path.replace(/^\/+/, ''), async (bytes) =>
    typeof bytes === 'string' ? undefined : createHash('md5').update(bytes).digest('hex'),
  )
  if (hash === undefined) found.removed += 1
  else if (copied.every((each) => each.hash === hash)) found.same += 1
  else found.differing.push(name)
}

/** Compares the bytes of the old files with the hashes that Kith stored when it copied them. */
async function compareFiles(stores: Stores, here: Ask, there: Ask): Promise<Bytes> {
  const found: Bytes = { same: 0, told: 0, removed: 0, differing: [], lost: [], absent: [] }
  for (let after = 0; ; ) {
    const paths = await there(
      `select id, filename as value from {files} where id > ? order by id limit ${FILES_AT_ONCE}`,
      [after],
    )
    const last = paths.at(-1)
    if (!last) return found
    const hashes = await here(
      `select u.content_id as id, case when f.size > 0 then encode(f.md5, 'hex') || ' ' || f.storage_key when exists (
          select from import_notes n where n.source_table = 'bytes of files' and n.chunk = 0
            and n.row_key = concat('file ', u.content_id, ' of user ', u.owner_id)) then 'told' end as value
        from import_uploads u join files f on f.id = u.file_id where u.content_id between $1 and $2`,
      [after + 1, last.id],
    )
    const stored = Map.groupBy(hashes, ({ id }) => id)
    for (const { id, value } of paths)
      await addBytes(found, stores, {
        name: `${id}`,
        path: value ?? '',
        copies: (stored.get(id) ?? []).map((each) => each.value),
      })
    after = last.id
  }
}

/** Does the same for pictures that no row of the table of files names, like avatars. */
async function comparePictures(sql: Sql, stores: Stores): Promise<Bytes> {
  const found: Bytes = { same: 0, told: 0, removed: 0, differing: [], lost: [], absent: [] }
  for (let [place, id] = ['', 0]; ; ) {
    const rows = await sql<
      { place: string; id: number; path: string; copy: string | null; node: string | null }[]
    >`
      select p.place, p.id, p.path, n.node, case when n.node is not null then encode(n.md5, 'hex') when exists (
          select from import_notes t where t.source_table = 'pictures' and t.chunk = 0
            and t.row_key = concat(p.place, ' ', p.id)) then 'told' end as copy
      from import_pictures p left join storage_nodes n on n.node = p.node
      where (p.place, p.id) > (${place}, ${id}) order by p.place, p.id limit ${FILES_AT_ONCE}`
    const last = rows.at(-1)
    if (!last) return found
    for (const { place, id, path, copy, node } of rows)
      await addBytes(found, stores, {
        name: `${place} ${id}`,
        path,
        copies: [node === null ? copy : `${copy} ${nodeKey(node)}`],
      })
    ;({ place, id } = last)
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
  for (let from = 1; from <= last; from += WINDOW) {
    const window = [from, from + WINDOW - 1]
    const ours = new Map(
      (await here(check.here, window)).map((each) => [keyOf(each.id, each.value), each] as const),
    )
    const missing: number[] = []
    const differing: { id: number; columns: string[] }[] = []
    for (const { id, value: given } of await there(check.there, window)) {
      const isOptional = check.cells === undefined && (given?.startsWith(OPTIONAL) ?? false)
      const value = isOptional ? (given?.slice(OPTIONAL.length) ?? '') : given
      const key = keyOf(id, value)
      const row = ours.get(key)
      ours.delete(key)
      const columns = row && differingColumns(check, row.value ?? '', value ?? '')
      if (columns === undefined && isOptional) continue
      else if (columns === undefined) missing.push(id)
      else if (columns.length > 0) differing.push({ id, columns })
      else found.same += 1
    }
    const told = missing.length + differing.length > 0 ? await toldIds(sql, check, window) : new Set()
    for (const id of missing)
      if (told.has(`skipped ${id}`)) found.told += 1
      else found.there.push(id)
    for (const { id, columns } of differing)
      if (columns.every((column) => told.has(`changed ${id} ${column}`))) found.told += 1
      else found.differing.push(id)
    for (const id of new Set([...ours.values()].map(({ id }) => id)))
      if (check.byUser && disabled.has(id)) found.disabled += 1
      else found.here.push(id)
  }
  return found
}

/** Begins the value of a row that may be missing here, because the source has no row of a user to whom it belongs. */
const OPTIONAL = '~'
/** Stands for any value. */
const ANY = '*'

/** Returns the columns in which two values differ. */
function differingColumns({ of, cells = [] }: Check, ours: string, theirs: string): string[] {
  if (of === 'amounts') return Number(ours) <= Number(theirs) ? [] : ['']
  if (cells.length < 2) return ours === theirs || ours === ANY ? [] : [cells[0]?.of ?? '']
  const [here, there] = [ours.split(' '), theirs.split(' ')]
  return cells.flatMap(({ of }, n) =>
    here[n] === there[n] || here[n] === ANY || there[n] === ANY ? [] : [of],
  )
}

/** Fills in the columns that the source has. */
function withCells(check: Check, names: Set<string>): Check {
  const cells = check.cells?.filter(({ of }) => names.has(of))
  if (cells === undefined || !check.there.includes('{cells}')) return check
  const filled = (side: 'there' | 'here') =>
    check[side].replace('{cells}', `concat_ws(' ', ${cells.map((cell) => cell[side]).join(', ')})`)
  return { ...check, cells, there: filled('there'), here: filled('here') }
}

/** Returns what the report of the import says about a window: rows that it skipped, and columns that it changed. */
async function toldIds(sql: Sql, { told, ended }: Check, [from, to]: number[]): Promise<Set<string>> {
  if (told === undefined) return new Set()
  const rows = await sql<{ line: string }[]>`
    select distinct case when outcome = 'mended' and not reason like ${ended ?? ''} then concat('changed ', row_key, ' ', source_column)
      else 'skipped ' || row_key end as line
    from import_notes
    where source_table = ${told} and row_key ~ '^[0-9]{1,15}$' and row_key::bigint between ${from ?? 0} and ${to ?? 0}`
  return new Set(rows.map(({ line }) => line))
}
