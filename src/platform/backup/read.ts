import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type postgres from 'postgres'
import type { Storage } from '#platform/storage/storage.ts'
import { SCHEMAS } from './dump.ts'
import { unseal } from './seal.ts'
import { ArchiveFault, type Entry, readTar } from './tar.ts'
import type { BackupEnd, BackupHead } from './write.ts'

const inflate = promisify(gunzip)
/** Larger files go through a file of their own on the way to the store. */
const IN_MEMORY = 1024 * 1024

/** Where a backup is read from, as often as asked. */
export type BackupSourceStream = {
  read(): Promise<AsyncIterable<Buffer>>
  passphrase: string | undefined
}

const entriesOf = async ({ read, passphrase }: BackupSourceStream) =>
  readTar(unseal(await read(), passphrase))

/** Reads a backup from its beginning to its end and holds every byte against its checksum. */
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
    if (end) throw new ArchiveFault('the backup has something after its end')
    if (entry.name.startsWith('checksums/')) {
      const list = await bodyOf(entry)
      if (list.toString() !== pending.join(''))
        throw new ArchiveFault(
          `the backup is damaged: ${differing(list.toString(), pending)} is not what it was`,
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
  if (!head || !end || appSecret === undefined) throw new ArchiveFault('this is no backup of Kith')
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

async function bodyOf(entry: Entry): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(entry.body))
}

/** Whether nothing of a site is in a database yet. */
export async function isEmptyDatabase(sql: postgres.ISql): Promise<boolean> {
  const rows = await sql`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${SCHEMAS}) and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') limit 1`
  return rows.length === 0
}

/** How many other connections of servers and workers a database has. */
export async function countServers(sql: postgres.ISql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'kith' and pid <> pg_backend_pid()`
  return row.count
}

/** Removes everything of a site from its database: what is not an extension's. */
export async function clearDatabase(sql: postgres.ISql): Promise<void> {
  await sql`drop schema if exists graphile_worker cascade`
  const found = await sql<{ drop: string }[]>`
    select format('drop %s if exists %I.%I cascade',
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
      n.nspname, c.relname) as drop
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p', 'v', 'm', 'S')
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

type Target = { sql: postgres.ISql; storage: Storage; keepSecret: (secret: string) => Promise<void> }

/**
 * Loads a verified backup into an empty database at the backup's level, in the open transaction of `sql`; its files and
 * its secret are in place before that is committed.
 */
export async function loadBackup(
  source: BackupSourceStream,
  { head, end, appSecret }: Awaited<ReturnType<typeof verifyBackup>>,
  { sql, storage, keepSecret }: Target,
): Promise<void> {
  const columns = new Map(head.tables.map((table) => [table.name, table.columns.join(', ')]))
  const links = await sql<{ on: string; name: string; rule: string }[]>`
    select conrelid::regclass::text as on, quote_ident(conname) as name, pg_get_constraintdef(oid) as rule
    from pg_constraint where contype = 'f' and conparentid = 0
      and connamespace in (select oid from pg_namespace where nspname = any(${SCHEMAS}))`
  for (const { on, name } of links) await sql.unsafe(`alter table ${on} drop constraint ${name}`)
  for (const { name } of head.tables) {
    await sql.unsafe(`alter table ${name} disable trigger user`)
    // What the migrations wrote is in the backup, changed or not.
    const [row] = await sql.unsafe(`select from ${name} limit 1`)
    if (row) await sql.unsafe(`delete from ${name}`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'kith-restore-'))
  try {
    let filling: { table: string; input: NodeJS.WritableStream & AsyncDisposable } | undefined
    const finish = async () => {
      if (!filling) return
      const { input } = filling
      await new Promise<void>((resolve, reject) => {
        input.once('error', reject)
        input.end(() => resolve())
      })
      filling = undefined
    }
    for await (const entry of await entriesOf(source)) {
      const [top, ...rest] = entry.name.split('/')
      if (top === 'database') {
        const table = rest[0] ?? ''
        if (!columns.has(table))
          throw new ArchiveFault(`the backup has rows of ${table}, which it does not list`)
        if (filling?.table !== table) {
          await finish()
          const copy = sql.unsafe(`copy ${table} (${columns.get(table)}) from stdin`)
          filling = { table, input: (await copy.writable()) as never }
        }
        const bytes = await inflate(await bodyOf(entry))
        const { input } = filling as NonNullable<typeof filling>
        await new Promise<void>((resolve, reject) =>
          input.write(bytes as never, (error?: Error | null) => (error ? reject(error) : resolve())),
        )
      } else {
        await finish()
        if (top === 'uploads') await putFile(storage, rest.join('/'), entry, folder)
      }
    }
    await finish()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  for (const { name } of head.tables) {
    const [row] = await sql.unsafe<{ rows: string }[]>(`select count(*)::text as rows from ${name}`)
    if (Number(row?.rows) !== end.rows[name])
      throw new ArchiveFault(`${name} has ${row?.rows} rows after it was loaded, and had ${end.rows[name]}`)
    await sql.unsafe(`alter table ${name} enable trigger user`)
  }
  for (const { on, name, rule } of links) await sql.unsafe(`alter table ${on} add constraint ${name} ${rule}`)
  for (const { name, value } of end.sequences)
    await sql`select setval(${name}::regclass, ${value}::text::bigint)`
  await keepSecret(appSecret)
}

async function putFile(storage: Storage, key: string, entry: Entry, folder: string): Promise<void> {
  // Uploads are told by their database rows; the store keeps a type only to serve objects that nobody asks it for.
  const options = { mime: 'application/octet-stream' }
  if (entry.size <= IN_MEMORY) return storage.put(key, await bodyOf(entry), options)
  const path = join(folder, 'file')
  await pipeline(entry.body, createWriteStream(path, { mode: 0o600 }))
  await storage.put(key, { path }, options)
}
