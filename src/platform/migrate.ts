import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Sql } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

const isMigration = (name: string) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))
/** Any number that nothing else locks on: every node that migrates takes it in turn. */
const LOCK = 4_127_002

/**
 * Brings the schema up to date and returns the names of the migrations that were applied. Each file runs in a
 * transaction of its own; a file that was changed after it was applied is refused. With `only` it goes no further than
 * these.
 */
export async function migrate(sql: Sql, folder = FOLDER, only?: readonly string[]): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((name) => isMigration(name) && (only === undefined || only.includes(name)))
    .sort()
  const session = await sql.reserve()
  try {
    await session`set statement_timeout = 0`
    await session`set lock_timeout = 0`
    await session`select pg_advisory_lock(${LOCK})`
    await session`create table if not exists schema_migrations (
      name text primary key, hash text not null, applied_at timestamptz not null default now()
    )`
    const applied = new Map(
      (await session<{ name: string; hash: string }[]>`select name, hash from schema_migrations`).map(
        (row) => [row.name, row.hash],
      ),
    )
    for (const name of applied.keys())
      if (!names.includes(name))
        throw new Error(
          `The database has migration ${name}, which this version does not know: run a newer version.`,
        )
    const done: string[] = []
    for (const name of names) {
      const text = await readFile(`${folder}/${name}`, 'utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      const known = applied.get(name)
      if (known === hash) continue
      if (known !== undefined) throw new Error(`Migration ${name} was changed after it had been applied.`)
      await session.unsafe(
        `begin;\n${text}\n;insert into schema_migrations (name, hash) values ('${name}', '${hash}');\ncommit;`,
      )
      done.push(name)
    }
    return done
  } catch (error) {
    await session.unsafe('rollback').catch(() => {})
    throw error
  } finally {
    await session`select pg_advisory_unlock(${LOCK})`.catch(() => {})
    await session`reset statement_timeout`.catch(() => {})
    await session`reset lock_timeout`.catch(() => {})
    session.release()
  }
}

/** The migrations that the database does not have yet; all of them when it is empty. */
export async function listPendingMigrations(sql: Sql, folder = FOLDER): Promise<string[]> {
  const names = (await readdir(folder)).filter(isMigration).sort()
  const [table] = await sql`select to_regclass('schema_migrations') as present`
  if (table?.present === null) return names
  const applied = await sql<Row<'schema_migrations', 'name'>[]>`select name from schema_migrations`
  return names.filter((name) => !applied.some((row) => row.name === name))
}

/** Why a database at this level cannot be brought to this version; undefined where it can. */
export async function findForeignMigration(
  level: readonly { name: string; hash: string }[],
  folder = FOLDER,
): Promise<string | undefined> {
  for (const { name, hash } of level) {
    const text = await readFile(`${folder}/${name}`, 'utf8').catch(() => undefined)
    if (text === undefined) return `it has migration ${name}, which this version does not know`
    if (createHash('sha256').update(text).digest('hex') !== hash)
      return `its migration ${name} is another one than that of this version`
  }
  return undefined
}
