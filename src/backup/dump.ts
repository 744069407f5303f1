import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { to as copyTo } from 'pg-copy-streams'
import { clientConfig, type DatabaseAddress, type Db, openSession, type Session } from '#platform/database'

export type DumpedTable = { name: string; columns: string[] }

export type SchemaLevel = { migrations: { name: string; hash: string }[] }

export const SCHEMAS = ['public', 'graphile_worker']
/**
 * Excludes the lists of applied migrations, because a restore applies the migrations itself. Also excludes
 * records of resized pictures, because the server recreates resized pictures on demand.
 */
const LEFT_OUT = ['public.schema_migrations', 'graphile_worker.migrations', 'public.file_variants']
const PART = 4 * 1024 * 1024
const compress = promisify(gzip)

export const openDumpSession = (connection: DatabaseAddress): Promise<Session> =>
  openSession({
    config: {
      ...clientConfig(connection, {
        TimeZone: 'UTC',
        DateStyle: 'ISO',
        IntervalStyle: 'postgres',
        bytea_output: 'hex',
        statement_timeout: 0,
        lock_timeout: 0,
        idle_in_transaction_session_timeout: 0,
      }),
      application_name: 'kith-backup',
    },
  })

export async function listTables(sql: Db): Promise<DumpedTable[]> {
  const rows = await sql<DumpedTable[]>`
    select format('%I.%I', n.nspname, c.relname) as name,
           array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and n.nspname = any(${SCHEMAS})
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by 1 order by 1`
  return rows.filter(({ name }) => !LEFT_OUT.includes(name))
}

export async function readLevel(sql: Db): Promise<SchemaLevel> {
  const rows = await sql<{ name: string; hash: string }[]>`
    select name, hash from schema_migrations order by name`
  return { migrations: rows.map(({ name, hash }) => ({ name, hash })) }
}

/** Must run after the tables are dumped, so that no dumped id exceeds its sequence. */
export async function readSequences(sql: Db): Promise<{ name: string; value: string }[]> {
  return Array.from(
    await sql<{ name: string; value: string }[]>`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
      from pg_sequences where schemaname = any(${SCHEMAS}) and last_value is not null order by 1`,
  )
}

export async function* dumpTable(
  client: Session['client'],
  { name, columns }: DumpedTable,
  onRows: (count: number) => void,
): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(`copy ${name} (${columns.join(', ')}) to stdout`))
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rows = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1
    onRows(rows)
    held.push(chunk)
    size += chunk.length
    if (size < PART) continue
    yield await compress(Buffer.concat(held), { level: 4 })
    held = []
    size = 0
  }
  if (size > 0) yield await compress(Buffer.concat(held), { level: 4 })
}
