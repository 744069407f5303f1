import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RESTORE_MARK } from '#backup/read.ts'
import { requestFile } from '#backup/request.ts'
import type { Config } from '#platform/config'
import type { Db } from '#platform/database'
import { StartFault } from '#platform/start-fault.ts'

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'restore-unfinished')

/** Marks the data directory before a restore creates a database in it. */
export async function markFolder(config: Pick<Config, 'dataDir'>, source: string): Promise<void> {
  await mkdir(config.dataDir, { recursive: true })
  await writeFile(fileOf(config), `${source}\n`, { mode: 0o600, flush: true })
}

/** Marks the database before a restore changes it, for nodes with another data directory. */
export const markDatabase = (sql: Db) => sql.unsafe(`create table if not exists ${RESTORE_MARK} ()`)

export async function removeMarks(config: Pick<Config, 'dataDir'>, sql: Db): Promise<void> {
  await sql.unsafe(`drop table if exists ${RESTORE_MARK}`)
  await rm(requestFile(config), { force: true })
  await rm(fileOf(config), { force: true })
}

export async function isUnfinished(sql: Db): Promise<boolean> {
  const [row] = await sql<
    [{ isMarked: boolean }]
  >`select to_regclass(${RESTORE_MARK}) is not null as "isMarked"`
  return row.isMarked
}

/** An unfinished restore looks like a new site, on which the next start would create another founder. */
export async function refuseUnfinishedRestore(config: Pick<Config, 'dataDir'>, sql: Db): Promise<void> {
  if ((await isUnfinished(sql)) || existsSync(fileOf(config)))
    throw new StartFault(
      'A restore into this installation did not finish: run `npx kith restore FILE --force` again with the same backup.',
    )
}

export async function refuseUnfinishedImport(sql: Db): Promise<void> {
  const [table] = await sql<[{ exists: boolean }]>`select to_regclass('imports') is not null as exists`
  if (!table.exists) return
  const rows = await sql<{ source: string }[]>`
    select source from imports where finished_at is null and closed_at is null`
  if (rows[0])
    throw new StartFault(
      `An import from ${rows[0].source} did not finish: wait for it, or run \`npx kith import ${rows[0].source}\` again with the same options and --resume.`,
    )
}
