import { messageOf } from '#lib/faults.ts'
import { loadAppSecret } from '#platform/app-secret.ts'
import type { Config } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import type { JobsConnection, Schedule, TaskList } from '#platform/jobs.ts'
import { recordBackup } from './history.ts'
import { openPlace, placeIn, removeOldBackups, scheduledName } from './place.ts'
import { seal } from './seal.ts'
import { type BackupEnd, writeBackup } from './write.ts'

/** The one secret that everything sealed depends on, as this installation has it. */
const appSecretOf = (config: Config): string =>
  config.appSecret ?? loadAppSecret(config.dataDir, { mayCreate: false })

/** Makes a backup at a place, and notes that it was made or why not. */
export async function makeBackup(
  { config, sql, storage }: Context,
  connection: JobsConnection,
  to: string,
  signal?: AbortSignal,
): Promise<{ bytes: number; end: BackupEnd }> {
  const started = Date.now()
  const note = async (bytes: number, fault?: string) => {
    // A database of an earlier version is backed up as it is.
    const [table] = await sql`select to_regclass('backup_runs') as present`
    const seconds = (Date.now() - started) / 1000
    if (table?.present !== null)
      await recordBackup(sql, { place: to, bytes, seconds, ...(fault === undefined ? {} : { fault }) })
  }
  try {
    const holds: { end?: BackupEnd } = {}
    const source = {
      connection,
      storage,
      appSecret: appSecretOf(config),
      ...(signal === undefined ? {} : { signal }),
    }
    const plain = writeBackup(source, (end) => {
      holds.end = end
    })
    const { backupPassphrase } = config
    const bytes = await openPlace(to, config.s3).write(
      backupPassphrase === undefined ? plain : seal(plain, backupPassphrase),
    )
    if (!holds.end) throw new Error('the backup ended before its end')
    await note(bytes)
    return { bytes, end: holds.end }
  } catch (error) {
    if (!signal?.aborted) await note(0, messageOf(error).slice(0, 500)).catch(() => {})
    throw error
  }
}

/** Backups by the clock, to where the configuration says. */
export const backupTasks = (ctx: Context, connection: JobsConnection): TaskList => ({
  async scheduled_backup(_payload, { abortSignal }) {
    const { backupTo, backupKeep, s3 } = ctx.config
    if (backupTo === undefined) return
    const place = placeIn(backupTo, scheduledName(new Date()))
    const { bytes, end } = await makeBackup(ctx, connection, place, abortSignal)
    const removed = await removeOldBackups(backupTo, backupKeep, s3)
    ctx.log.info({ place, bytes, files: end.files, missing: end.missing, removed }, 'backed up')
  },
})

/** When, where it is wanted at all; a failed one is tried twice more. */
export const backupSchedules = ({ backupTo, backupAt }: Config): Schedule[] =>
  backupTo === undefined ? [] : [{ task: 'scheduled_backup ?max=3', pattern: backupAt }]
