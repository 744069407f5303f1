import { messageOf } from '#lib/faults.ts'
import { loadAppSecret } from '#platform/app-secret.ts'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import type { DatabaseAddress, Db } from '#platform/database'
import { longestGap, type Schedule, type TaskList } from '#platform/jobs'
import { backupPath, openBackupPlace, removeOldBackups, scheduledName } from './place.ts'
import { seal } from './seal.ts'
import { type BackupEnd, writeBackup } from './write.ts'

export type BackupRun = {
  place: string
  bytes: number
  seconds: number
  fault?: string | undefined
  encrypted?: boolean | undefined
}

const KEPT_DAYS = 400

export async function recordBackup(
  sql: Db,
  { place, bytes, seconds, fault, encrypted }: BackupRun,
): Promise<void> {
  await sql`
    with old as (delete from backup_runs where finished_at < now() - make_interval(days => ${KEPT_DAYS}))
    insert into backup_runs (place, bytes, seconds, fault, encrypted)
    values (${place}, ${bytes}, ${seconds}, ${fault ?? null}, ${encrypted ?? null})`
}

/**
 * `failing_since` and `fault` describe failures since the last successful backup. Compares ids, because the clock of the
 * database may have been ahead at that backup.
 */
export type BackupState = {
  finished_at: string | null
  bytes: number | null
  seconds: number | null
  failing_since: string | null
  fault: string | null
}

export async function findBackupState(sql: Db): Promise<BackupState> {
  const [row] = await sql<[BackupState]>`
    with whole as (
      select id, least(finished_at, now()) as finished_at, bytes, seconds from backup_runs
      where fault is null order by id desc limit 1
    ),
    failed as (
      select id, finished_at, fault from backup_runs
      where fault is not null and id > coalesce((select id from whole), 0)
    )
    select w.finished_at, w.bytes, w.seconds, (select min(finished_at) from failed) as failing_since,
      (select fault from failed order by id desc limit 1) as fault
    from (values (1)) one (n) left join whole w on true`
  return row
}

const appSecretOf = (config: Config): string =>
  config.appSecret ?? loadAppSecret(config.dataDir, { mayCreate: false })

export async function makeBackup(
  { config, sql, storage }: Context,
  connection: DatabaseAddress,
  to: string,
  signal?: AbortSignal,
): Promise<{ bytes: number; end: BackupEnd }> {
  const started = performance.now()
  const note = async (bytes: number, fault?: string) => {
    // A database of an earlier version has no `backup_runs` table, or one without `encrypted`.
    const [column] = await sql`
      select from pg_attribute where attrelid = to_regclass('backup_runs') and attname = 'encrypted'`
    const seconds = (performance.now() - started) / 1000
    const encrypted = fault === undefined ? config.backupPassphrase !== undefined : undefined
    if (column) await recordBackup(sql, { place: to, bytes, seconds, fault, encrypted })
  }
  try {
    const holds: { end?: BackupEnd } = {}
    const source = { connection, storage, appSecret: appSecretOf(config), signal }
    const plain = writeBackup(source, (end) => {
      holds.end = end
    })
    const { backupPassphrase } = config
    const bytes = await openBackupPlace(to, config.s3).write(
      backupPassphrase === undefined ? plain : seal(plain, backupPassphrase),
    )
    if (!holds.end) throw new Error('the backup stopped before it was complete')
    await note(bytes)
    return { bytes, end: holds.end }
  } catch (error) {
    if (!signal?.aborted) await note(0, messageOf(error).slice(0, 500)).catch(() => {})
    throw error
  }
}

export const backupTasks = (ctx: Context, connection: DatabaseAddress): TaskList => ({
  async scheduled_backup(_payload, { abortSignal }) {
    const { backupTo, backupKeep, s3 } = ctx.config
    if (backupTo === undefined) return
    const latest = scheduledName(new Date())
    const place = backupPath(backupTo, latest)
    const { bytes, end } = await makeBackup(ctx, connection, place, abortSignal)
    const removed = await removeOldBackups(backupTo, { keep: backupKeep, latest }, s3)
    ctx.log.info({ place, bytes, files: end.files, missing: end.missing, removed }, 'backup finished')
  },
})

/** Time in milliseconds that a scheduled backup may take. */
const MAKING_MS = 3 * 3_600_000

/** Returns the age in milliseconds that the newest backup never exceeds by the schedule, or undefined without one. */
export const promisedBackupAge = ({ backupTo, backupAt }: Pick<Config, 'backupTo' | 'backupAt'>) =>
  backupTo === undefined ? undefined : longestGap(backupAt) + MAKING_MS

export const backupSchedules = ({ backupTo, backupAt }: Config): Schedule[] =>
  backupTo === undefined ? [] : [{ task: 'scheduled_backup ?max=3', pattern: backupAt }]
