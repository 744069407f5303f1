import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPlain } from '#platform/backup/dump.ts'
import { makeBackup } from '#platform/backup/jobs.ts'
import { openPlace } from '#platform/backup/place.ts'
import {
  clearDatabase,
  countServers,
  isEmptyDatabase,
  loadBackup,
  verifyBackup,
} from '#platform/backup/read.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { openDatabaseServer } from '#platform/database-server.ts'
import { migrateJobs } from '#platform/jobs.ts'
import { createLog } from '#platform/log.ts'
import { findForeignMigration, migrate } from '#platform/migrate.ts'
import { openStorage } from '#platform/open-context.ts'
import { StartFault, startFault } from '#platform/start-fault.ts'
import { examine } from '../doctor.ts'
import { prepareDatabase } from '../prepare.ts'
import { type Environment, withContext } from './context.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const sum = (rows: Record<string, number>) => Object.values(rows).reduce((all, count) => all + count, 0)

/** `kith backup FILE|s3://BUCKET/NAME`, beside a running server or without one. */
export async function backUp(env: Environment, to: string): Promise<number> {
  return withContext(env, async ({ ctx, connection }) => {
    const { config } = ctx
    const place = openPlace(to, config.s3)
    if (await place.exists()) throw new Error(`${to} is there already: choose another name, or remove it`)
    const [site] = await ctx.sql`select to_regclass('schema_migrations') as present`
    if (site?.present === null) throw new Error('there is nothing to back up: this database has no site yet')
    const { bytes, end } = await makeBackup(ctx, connection, to)
    print(`Wrote ${sum(end.rows)} rows and ${end.files} files to ${to} (${bytes} bytes).`)
    if (end.missing > 0) print(`${end.missing} files were missing already.`)
    if (config.backupPassphrase === undefined)
      print(
        'It holds the secret and all messages of the site in the clear: keep it where nobody else reads it.',
      )
    return 0
  })
}

/** `kith restore FILE|s3://BUCKET/NAME [--force]`, while no server uses the installation. */
export async function restore(
  env: Environment,
  from: string,
  { force = false }: { force?: boolean },
): Promise<number> {
  const config = readConfig(env)
  const log = createLog({ level: env.LOG_LEVEL ? config.logLevel : 'warn', destination: process.stderr })
  const place = openPlace(from, config.s3)
  if (!(await place.exists())) throw new Error(`there is no backup ${from}`)
  const source = { read: place.read, passphrase: config.backupPassphrase }
  const verified = await verifyBackup(source)
  const { head, end, appSecret } = verified
  print(
    `${from} is whole: version ${head.version}, made ${head.made_at}, ${sum(end.rows)} rows, ${end.files} files.`,
  )
  const foreign = await findForeignMigration(head.migrations)
  if (foreign)
    throw new Error(`the backup was made by another version: ${foreign}. Restore it with that version.`)
  if (config.appSecret !== undefined && config.appSecret !== appSecret)
    throw new StartFault(
      'APP_SECRET is not the secret of the backup: leave it unset, and the one of the backup is put into DATA_DIR.',
    )
  await requireEmptyFolder(config, force)
  const { connection, stop } = await openDatabaseServer(config, log).catch((error) => {
    throw startFault(error, config.dataDir)
  })
  try {
    const plain = openPlain(connection)
    try {
      const servers = await countServers(plain)
      if (servers > 0)
        throw new Error(`a server or worker uses this database (${servers} connections): stop it first`)
      if (!(await isEmptyDatabase(plain))) {
        if (!force)
          throw new Error(
            'this database is not empty: --force removes everything in it, and the files of the backup replace those here',
          )
        await clearDatabase(plain)
      }
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
      await plain.begin((tx) =>
        loadBackup(source, verified, {
          sql: tx,
          storage: openStorage(config),
          keepSecret: (secret) => keepSecret(config, secret),
        }),
      )
      await plain.unsafe('analyze')
    } finally {
      await plain.end({ timeout: 5 })
    }
  } finally {
    await stop?.()
  }
  print('Restored. Now its counters and its ledger are examined:')
  return withContext(env, async ({ ctx, forJobs, connection: opened }) => {
    await prepareDatabase(forJobs, opened)
    const isWell = await examine(ctx.sql, { mend: false, print })
    print(isWell ? 'All is well.' : 'Something differs: see above.')
    return isWell ? 0 : 1
  })
}

/** An installation is one folder: files of another one in it are a mistake. */
async function requireEmptyFolder({ dataDir, storage }: Config, force: boolean): Promise<void> {
  if (force || storage !== 'local') return
  const uploads = await readdir(join(dataDir, 'uploads')).catch(() => [])
  if (uploads.some((name) => name !== '.tmp'))
    throw new Error(
      `${join(dataDir, 'uploads')} is not empty: set DATA_DIR to another folder, or say --force`,
    )
}

/** Puts the secret of the backup in place; another one that was there stays beside it. */
async function keepSecret({ appSecret, dataDir }: Config, secret: string): Promise<void> {
  if (appSecret !== undefined) return
  const path = join(dataDir, 'app-secret')
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present?.trim() === secret) return
  if (present !== undefined) await rename(path, `${path}.before-restore`)
  await rm(path, { force: true })
  await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
}
