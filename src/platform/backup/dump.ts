import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import postgres from 'postgres'
import type { JobsConnection } from '#platform/jobs.ts'

/** A table as a backup holds it, by its full name in SQL. */
export type DumpedTable = { name: string; columns: string[] }

/** How far the schema of a database has come. */
export type SchemaLevel = { migrations: { name: string; hash: string }[] }

/** The schemas that are ours: the site's, and that of the job queue, whose waiting jobs are kept. */
export const SCHEMAS = ['public', 'graphile_worker']
/** What their own migrations write, and pictures in other sizes, which are made again when first asked for. */
const LEFT_OUT = ['public.schema_migrations', 'graphile_worker.migrations', 'public.file_variants']
const PART = 4 * 1024 * 1024
const compress = promisify(gzip)

/** A connection of its own with the settings that values are written and read with. */
export function openPlain(connection: JobsConnection): postgres.Sql {
  const settings: postgres.Options<Record<string, never>> = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    prepare: false,
    connection: {
      application_name: 'kith-backup',
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      IntervalStyle: 'postgres',
      bytea_output: 'hex',
      statement_timeout: 0,
      lock_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  }
  return typeof connection === 'string'
    ? postgres(connection, settings)
    : postgres({ ...connection, ...settings })
}

/** The tables that a backup holds, with the columns that are not computed. */
export async function listTables(sql: postgres.ISql): Promise<DumpedTable[]> {
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

/** The migrations that a database has had, in their order. */
export async function readLevel(sql: postgres.ISql): Promise<SchemaLevel> {
  const rows = await sql<{ name: string; hash: string }[]>`
    select name, hash from schema_migrations order by name`
  return { migrations: rows.map(({ name, hash }) => ({ name, hash })) }
}

/** Where each sequence stands: read last, so that no row of the backup is ahead of it. */
export async function readSequences(sql: postgres.ISql): Promise<{ name: string; value: string }[]> {
  return Array.from(
    await sql<{ name: string; value: string }[]>`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
      from pg_sequences where schemaname = any(${SCHEMAS}) and last_value is not null order by 1`,
  )
}

/** The rows of a table as COPY writes them, in compressed parts; tells how many rows there were. */
export async function* dumpTable(
  sql: postgres.ISql,
  { name, columns }: DumpedTable,
  onRows: (count: number) => void,
): AsyncGenerator<Buffer> {
  const query = sql.unsafe(`copy ${name} (${columns.join(', ')}) to stdout`)
  const stream: Readable = await query.readable()
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
