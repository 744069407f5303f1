import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DatabaseError } from 'pg'
import type { Row } from '#generated/tables.ts'
import type { Db, Sql } from './database.ts'

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const LOCK = 4_127_005

type Session = Awaited<ReturnType<Sql['reserve']>>

const listFiles = async (folder: string) =>
  (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort()

const findApplied = (sql: Db) => sql<Row<'schema_migrations', 'name' | 'hash'>[]>`
  select name, hash from schema_migrations order by name`

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Runs `work` without timeouts under an advisory lock, so that one process at a time upgrades the database.
 */
export async function withUpgradeLock<T>(sql: Sql, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await sql.reserve()
  try {
    await session`set statement_timeout = 0`
    await session`set lock_timeout = 0`
    // Every later commit flushes the WAL, so a crash can undo only the last migrations, which then run again.
    await session`set synchronous_commit = off`
    await session`select pg_advisory_lock(${LOCK})`
    return await work(session)
  } finally {
    await session`select pg_advisory_unlock(${LOCK})`.catch(() => {})
    await session`reset statement_timeout`.catch(() => {})
    await session`reset lock_timeout`.catch(() => {})
    await session`reset synchronous_commit`.catch(() => {})
    session.release()
  }
}

export const migrate = (sql: Sql, folder = FOLDER, only?: readonly string[]): Promise<string[]> =>
  withUpgradeLock(sql, (session) => applyMigrations(session, folder, only))

/**
 * Applies each pending migration in its own transaction and returns the names of the applied migrations.
 * Rejects a database with an unknown migration, or one that changed after it was applied.
 */
export async function applyMigrations(
  session: Session,
  folder = FOLDER,
  only?: readonly string[],
): Promise<string[]> {
  const names = (await listFiles(folder)).filter((name) => only?.includes(name) ?? true)
  try {
    await session`create table if not exists schema_migrations (
      name text primary key, hash text not null, applied_at timestamptz not null default now()
    )`
    const applied = new Map((await findApplied(session)).map(({ name, hash }) => [name, hash]))
    for (const name of applied.keys())
      if (!names.includes(name))
        throw new Error(
          `The database has migration ${name}, which this version of Kith does not know. Run a newer version.`,
        )
    const pending: string[] = []
    let statements = ''
    for (const name of names) {
      const text = await readFile(`${folder}/${name}`, 'utf8')
      const hash = hashOf(text)
      const known = applied.get(name)
      if (known === hash) continue
      if (known !== undefined) throw new Error(`Migration ${name} was changed after it was applied.`)
      pending.push(name)
      statements += `begin;\n${text}\n;insert into schema_migrations (name, hash) values ('${name}', '${hash}');\ncommit;\n`
    }
    // Sends all at once, so that PostgreSQL does not wait for this process. PostgreSQL skips what follows a failed
    // migration.
    if (pending.length > 0) await session.unsafe(statements)
    return pending
  } catch (error) {
    await session.unsafe('rollback').catch(() => {})
    const [failed] = await listPending(session, names).catch(() => [])
    if (failed !== undefined && error instanceof DatabaseError) error.message = `${failed}: ${error.message}`
    throw error
  }
}

export const listPendingMigrations = async (sql: Sql, folder = FOLDER): Promise<string[]> =>
  listPending(sql, await listFiles(folder))

async function listPending(sql: Db, names: string[]): Promise<string[]> {
  const [table] = await sql`select to_regclass('schema_migrations') as present`
  if (table?.present === null) return names
  const applied = await findApplied(sql)
  return names.filter((name) => !applied.some((row) => row.name === name))
}

export async function listUnknownMigrations(sql: Sql, folder = FOLDER): Promise<string[]> {
  const names = await listFiles(folder)
  return (await findApplied(sql)).map(({ name }) => name).filter((name) => !names.includes(name))
}

export async function findForeignMigration(
  level: readonly { name: string; hash: string }[],
  folder = FOLDER,
): Promise<string | undefined> {
  for (const { name, hash } of level) {
    const text = await readFile(`${folder}/${name}`, 'utf8').catch(() => undefined)
    if (text === undefined) return `it has migration ${name}, which this version does not know`
    if (hashOf(text) !== hash) return `its migration ${name} differs from that of this version`
  }
  return undefined
}
