import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDumpSession } from '#backup/dump.ts'
import { makeBackup } from '#backup/jobs.ts'
import { openBackupPlace } from '#backup/place.ts'
import { clearDatabase, countServers, isEmptyDatabase, loadBackup, verifyBackup } from '#backup/read.ts'
import { hasMembers } from '#modules/accounts/index.ts'
import { recordAudit } from '#modules/audit/index.ts'
import { type Config, readConfig } from '#platform/config'
import { findForeignMigration, migrate, openDatabase } from '#platform/database'
import { beginEpoch } from '#platform/epoch.ts'
import type { Storage } from '#platform/files'
import { migrateJobs } from '#platform/jobs'
import { createLog } from '#platform/observability'
import { StartFault } from '#platform/start-fault.ts'
import { openDatabaseServer } from '#startup/database-server.ts'
import { type OpenedContext, openStorage } from '#startup/open-context.ts'
import { prepareDatabase } from '#startup/prepare.ts'
import { isUnfinished, markDatabase, markFolder, removeMarks } from '#startup/unfinished.ts'
import { diagnose } from '../doctor.ts'
import { type Environment, withContext } from './context.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const sum = (rows: Record<string, number>) => Object.values(rows).reduce((all, count) => all + count, 0)

/** Implements `kith backup FILE|s3://BUCKET/NAME`, with or without a running server. */
export async function backUp(env: Environment, to: string): Promise<number> {
  return withContext(env, async ({ ctx, connection }) => {
    const { config } = ctx
    const place = openBackupPlace(to, config.s3)
    if (await place.exists()) throw new Error(`${to} already exists: choose another name, or delete it`)
    const [site] = await ctx.sql`select to_regclass('schema_migrations') as present`
    if (site?.present === null)
      throw new Error('there is nothing to back up: this database contains no site yet')
    const { bytes, end } = await makeBackup(ctx, connection, to)
    print(`Wrote ${sum(end.rows)} rows and ${end.files} files to ${to} (${bytes} bytes).`)
    if (end.missing > 0) print(`${end.missing} files were already missing.`)
    if (config.backupPassphrase === undefined)
      print(
        'It contains the secret and all messages of the site without encryption. Store it where no one else can read it.',
      )
    return 0
  })
}

/**
 * Implements `kith restore FILE|s3://BUCKET/NAME [--force]`. No server may run on the installation meanwhile.
 */
export async function restore(
  env: Environment,
  from: string,
  {
    force = false,
    storage,
    onlyNew = false,
    onBegin,
  }: {
    force?: boolean
    storage?: Storage
    /** Refuses a site with members. */
    onlyNew?: boolean
    /** Runs right before the first change. */
    onBegin?: () => Promise<void>
  } = {},
): Promise<number> {
  const config = readConfig(env)
  const log = createLog({ level: env.LOG_LEVEL ? config.logLevel : 'warn', destination: process.stderr })
  const place = openBackupPlace(from, config.s3)
  if (!(await place.exists())) throw new Error(`no such backup: ${from}`)
  const source = { read: place.read, passphrase: config.backupPassphrase }
  const verified = await verifyBackup(source)
  const { head, end, appSecret } = verified
  print(
    `${from} is complete: version ${head.version}, made ${head.made_at}, ${sum(end.rows)} rows, ${end.files} files.`,
  )
  const foreign = await findForeignMigration(head.migrations)
  if (foreign)
    throw new Error(`the backup was made by another version: ${foreign}. Restore it with that version.`)
  if (config.appSecret !== undefined && config.appSecret !== appSecret)
    throw new StartFault(
      'APP_SECRET differs from the secret of the backup. Leave it unset, and the restore writes the secret of the backup into DATA_DIR.',
    )
  await requireEmptyFolder(config, force)
  const isNew = config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres', 'cluster'))
  if (isNew) await markFolder(config, place.name)
  const { connection, stop } = await openDatabaseServer(config, log, { mayBeLost: true })
  try {
    const plain = await openDumpSession(connection)
    try {
      const servers = await countServers(plain.sql)
      if (servers > 0)
        throw new Error(`a server or worker uses this database (${servers} connections): stop it first`)
      if (onlyNew && !(await isUnfinished(plain.sql)) && (await hasMembers(plain.sql)))
        throw new Error('this site has members: only a new site can be replaced from the console')
      await onBegin?.()
      if (!(await isEmptyDatabase(plain.sql))) {
        if (!force)
          throw new Error(
            'this database is not empty: --force deletes everything in it, and replaces its files with those of the backup',
          )
        await markDatabase(plain.sql)
        await clearDatabase(plain.sql)
      } else await markDatabase(plain.sql)
      const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 0 })
      try {
        await migrate(
          sql,
          undefined,
          head.migrations.map(({ name }) => name),
        )
      } finally {
        await sql.end()
      }
      await migrateJobs(connection)
      const skipped = await loadBackup(source, verified, {
        ...plain,
        storage: storage ?? openStorage(config),
        keepSecret: (secret) => keepSecret(config, secret),
      })
      for (const name of skipped) print(`Skipped ${name} (${end.rows[name]} rows): Kith has no such table.`)
      await plain.sql.unsafe('analyze')
    } finally {
      plain.end()
    }
  } finally {
    await stop?.()
  }
  print('Restored. Checking counters and ledger:')
  const check = async ({ ctx, forJobs, connection: opened }: OpenedContext) => {
    await prepareDatabase(forJobs, opened)
    await beginEpoch(forJobs.sql, 'a backup was restored')
    if (onlyNew)
      await recordAudit(
        forJobs.sql,
        { viewer: { id: 0 }, request: { id: '' } },
        {
          action: 'backups.restore',
          subjectType: 'backups',
          subjectId: '*',
          after: { from, made_at: head.made_at },
        },
      )
    await removeMarks(config, forJobs.sql)
    const isWell = await diagnose(ctx.sql, { mend: false, print })
    print(isWell ? 'No faults found.' : 'Found differences, listed above.')
    return isWell ? 0 : 1
  }
  return withContext(env, check, { mayBeUnfinished: true })
}

/** Throws when the data directory already contains uploads, because a restore would mix two installations. */
async function requireEmptyFolder({ dataDir, storage }: Config, force: boolean): Promise<void> {
  if (force || storage !== 'local') return
  const uploads = await readdir(join(dataDir, 'uploads')).catch(() => [])
  if (uploads.some((name) => name !== '.tmp'))
    throw new Error(
      `${join(dataDir, 'uploads')} is not empty: set DATA_DIR to another folder, or use --force`,
    )
}

/**
 * Writes the app secret of the backup. Renames an existing secret file with another secret instead of
 * overwriting it.
 */
async function keepSecret({ appSecret, dataDir }: Config, secret: string): Promise<void> {
  if (appSecret !== undefined) return
  const path = join(dataDir, 'app-secret')
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present?.trim() === secret) return
  if (present !== undefined) await rename(path, `${path}.before-restore`)
  await rm(path, { force: true })
  await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
}
