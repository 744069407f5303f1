import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { from as copyFrom } from 'pg-copy-streams'
import type { Db, Session } from '#platform/database'
import type { Storage } from '#platform/files'
import { type ArchiveEntry, ArchiveFault, readArchive } from './archive.ts'
import { listTables, SCHEMAS } from './dump.ts'
import { unseal } from './seal.ts'
import type { BackupEnd, BackupHead } from './write.ts'

const inflate = promisify(gunzip)
/** Maximum size of a part of a table, so that a forged part cannot fill the memory. `dump.ts` writes 4 MB and a row. */
const PART_MAX = 256 * 1024 * 1024
/**
 * Maximum size of an upload that is restored through memory. Larger uploads pass through a temporary file.
 */
const IN_MEMORY = 1024 * 1024

export type BackupSourceStream = {
  read(): Promise<AsyncIterable<Buffer>>
  passphrase: string | undefined
}

const entriesOf = async ({ read, passphrase }: BackupSourceStream) =>
  readArchive(unseal(await read(), passphrase))

/** Reads a backup to its end and verifies every byte against its checksum. */
export async function verifyBackup(
  source: BackupSourceStream,
): Promise<{ head: BackupHead; end: BackupEnd; appSecret: string }> {
  let head: BackupHead | undefined
  let end: BackupEnd | undefined
  let appSecret: string | undefined
  let pending: string[] = []
  let count = 0
  const all = createHash('sha256')
  for await (const entry of await entriesOf(source)) {
    if (end) throw new ArchiveFault('the backup has data after its end')
    if (entry.name.startsWith('checksums/')) {
      const list = await bodyOf(entry)
      if (list.toString() !== pending.join(''))
        throw new ArchiveFault(
          `the backup is damaged: ${differing(list.toString(), pending)} has a wrong checksum`,
        )
      all.update(list)
      pending = []
      continue
    }
    const isText = ['backup.json', 'app-secret', 'end.json'].includes(entry.name)
    const hash = createHash('sha256')
    const kept: Buffer[] = []
    for await (const chunk of entry.body) {
      hash.update(chunk)
      if (isText) kept.push(Buffer.from(chunk))
    }
    const text = Buffer.concat(kept).toString()
    if (entry.name === 'end.json') {
      end = JSON.parse(text) as BackupEnd
      continue
    }
    count += 1
    pending.push(`${hash.digest('hex')}  ${entry.name}\n`)
    if (entry.name === 'backup.json') head = JSON.parse(text) as BackupHead
    if (entry.name === 'app-secret') appSecret = text.trim()
  }
  if (head && !end) throw new ArchiveFault('the backup is truncated')
  if (!head || !end || appSecret === undefined) throw new ArchiveFault('this is not a backup of Kith')
  if (head.format !== 1) throw new ArchiveFault('the backup was made by a newer version of Kith')
  if (pending.length > 0 || count !== end.entries || all.digest('hex') !== end.checksums)
    throw new ArchiveFault('the backup is damaged: parts of it are missing')
  return { head, end, appSecret }
}

function differing(list: string, found: string[]): string {
  const lines = list.split('\n')
  const at = found.findIndex((line, index) => `${lines[index]}\n` !== line)
  return found[at]?.slice(66).trim() ?? 'one of its parts'
}

async function bodyOf(entry: ArchiveEntry): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(entry.body))
}

export async function isEmptyDatabase(sql: Db): Promise<boolean> {
  const rows = await sql`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${SCHEMAS}) and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') limit 1`
  return rows.length === 0
}

export async function countServers(sql: Db): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'kith' and pid <> pg_backend_pid()`
  return row.count
}

/** Table that marks a database while a restore replaces it. */
export const RESTORE_MARK = 'public.unfinished_restore'

export async function clearDatabase(sql: Db): Promise<void> {
  await sql`drop schema if exists graphile_worker cascade`
  const found = await sql<{ drop: string }[]>`
    select format('drop %s if exists %I.%I cascade',
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
      n.nspname, c.relname) as drop
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p', 'v', 'm', 'S') and c.oid is distinct from to_regclass(${RESTORE_MARK})
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e', 'i', 'a'))
    union all
    select format('drop routine if exists %s cascade', p.oid::regprocedure)
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select format('drop type if exists %I.%I cascade', n.nspname, t.typname)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = 'public' and t.typtype in ('e', 'd')
      and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')`
  for (const { drop } of found) await sql.unsafe(drop)
}

type Target = Pick<Session, 'sql' | 'client'> & {
  storage: Storage
  keepSecret: (secret: string) => Promise<void>
}

/**
 * Loads the rows of a verified backup into a newly migrated database in one transaction, and its uploads into the
 * storage. After an error, the caller must close the database session to roll back. Skips tables that an operator
 * had added to the dumped database, and returns their names.
 */
export async function loadBackup(
  source: BackupSourceStream,
  { head, end, appSecret }: Awaited<ReturnType<typeof verifyBackup>>,
  { sql, client, storage, keepSecret }: Target,
): Promise<string[]> {
  await sql.unsafe('begin')
  // Names of the backup become part of statements, so only those of this database may.
  const known = new Map((await listTables(sql)).map(({ name, columns }) => [name, new Set(columns)]))
  const tables = head.tables.filter(({ name }) => known.has(name))
  const skipped = head.tables.map(({ name }) => name).filter((name) => !known.has(name))
  for (const { name, columns } of tables)
    for (const column of columns)
      if (!known.get(name)?.has(column))
        throw new ArchiveFault(`the backup has a column ${column} of ${name}, which this version lacks`)
  const columns = new Map(tables.map((table) => [table.name, table.columns.join(', ')]))
  const links = await sql<{ on: string; name: string; rule: string }[]>`
    select conrelid::regclass::text as on, quote_ident(conname) as name, pg_get_constraintdef(oid) as rule
    from pg_constraint where contype = 'f' and conparentid = 0
      and connamespace in (select oid from pg_namespace where nspname = any(${SCHEMAS}))`
  for (const { on, name } of links) await sql.unsafe(`alter table ${on} drop constraint ${name}`)
  for (const { name } of tables) {
    await sql.unsafe(`alter table ${name} disable trigger user`)
    // Deletes rows that migrations inserted, because the backup contains the same rows.
    const [row] = await sql.unsafe(`select from ${name} limit 1`)
    if (row) await sql.unsafe(`delete from ${name}`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'kith-restore-'))
  try {
    let filling: { table: string; input: Writable } | undefined
    const finish = async () => {
      filling?.input.end()
      if (filling) await finished(filling.input)
      filling = undefined
    }
    for await (const entry of await entriesOf(source)) {
      const [top, ...rest] = entry.name.split('/')
      if (top === 'database') {
        const table = rest[0] ?? ''
        if (skipped.includes(table)) continue
        if (!columns.has(table))
          throw new ArchiveFault(`the backup has rows of ${table}, which it does not list`)
        if (filling?.table !== table) {
          await finish()
          const copy = copyFrom(`copy ${table} (${columns.get(table)}) from stdin`)
          filling = { table, input: client.query(copy) }
        }
        const bytes = await inflate(await bodyOf(entry), { maxOutputLength: PART_MAX })
        const { input } = filling as NonNullable<typeof filling>
        await new Promise<void>((resolve, reject) => {
          input.once('error', reject)
          input.write(bytes, (error) => (error ? reject(error) : resolve()))
          input.off('error', reject)
        })
      } else {
        await finish()
        if (top === 'uploads') await putFile(storage, rest.join('/'), entry, folder)
      }
    }
    await finish()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ rows: string }[]>(`select count(*)::text as rows from ${name}`)
    if (Number(row?.rows) !== end.rows[name])
      throw new ArchiveFault(
        `${name} has ${row?.rows} rows after loading, but ${end.rows[name]} in the backup`,
      )
    await sql.unsafe(`alter table ${name} enable trigger user`)
  }
  for (const { on, name, rule } of links) await sql.unsafe(`alter table ${on} add constraint ${name} ${rule}`)
  for (const { name, value } of end.sequences)
    await sql`select setval(to_regclass(${name}), ${value}::text::bigint)`
  await keepSecret(appSecret)
  await sql.unsafe('commit')
  return skipped
}

async function putFile(storage: Storage, key: string, entry: ArchiveEntry, folder: string): Promise<void> {
  // The upload's database row has the MIME type, so the store does not need the real type.
  const options = { mime: 'application/octet-stream' }
  if (entry.size <= IN_MEMORY) return storage.put(key, await bodyOf(entry), options)
  const path = join(folder, 'file')
  await pipeline(entry.body, createWriteStream(path, { mode: 0o600 }))
  await storage.put(key, { path }, options)
}
