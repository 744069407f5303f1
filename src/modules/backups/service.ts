import { placeFault, testBackupPlace } from '#backup/check.ts'
import { backupPath, listBackups, openBackupPlace } from '#backup/place.ts'
import { type CheckedBackup, listEncryption, listTrials, tryBackup } from '#backup/trial.ts'
import { wireTime } from '#lib/time.ts'
import type { UseProof } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { explainFault } from '#platform/health'
import { addJob, listOpenJobs, type TaskList } from '#platform/jobs'
import { noBackupPlace, noSuchBackup, type StoredBackup, type StoredBackups } from './schema.ts'

const LISTED = 100

function requirePlace({ config: { backupTo } }: Context): string {
  if (backupTo === undefined) throw noBackupPlace()
  return backupTo
}

/** Enqueues a backup. Repeated calls enqueue one, until the worker takes it. */
export async function startBackup(ctx: Context, actor: Actor): Promise<void> {
  const to = requirePlace(ctx)
  await transaction(ctx.sql, async (tx) => {
    await addJob(tx, 'scheduled_backup', {}, { key: 'backup_now', maxAttempts: 1 })
    await recordAudit(tx, actor, {
      action: 'backups.create',
      subjectType: 'backups',
      subjectId: '*',
      after: { to },
    })
  })
}

export async function testPlace({ config: { backupTo, s3 } }: Context, language: Language) {
  if (backupTo === undefined) return { place: false, fault: null }
  const fault = await testBackupPlace({ backupTo, s3 })
  return { place: true, fault: fault ? explainFault(fault)[language] : null }
}

const timeOf = (name: string): string => {
  const [, year, month, day, hour, minute, second] =
    /^kith-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? []
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

const keyOf = (name: string) => `check_backup:${name}`

function checkOf(
  job: { running: boolean } | undefined,
  last: CheckedBackup | undefined,
): StoredBackup['check'] {
  if (!job && !last) return null
  const result = {
    checked_at: last ? wireTime(last.checked_at) : null,
    seconds: last?.seconds ?? null,
    fault: last?.fault ?? null,
  }
  if (job) return { state: job.running ? 'running' : 'waiting', ...result }
  return { state: result.fault === null ? 'good' : 'failed', ...result }
}

export async function readBackups(ctx: Context, language: Language): Promise<StoredBackups> {
  const { backupTo, backupPassphrase, s3 } = ctx.config
  const jobs = await listOpenJobs(ctx.sql, ['scheduled_backup', 'check_backup_file'])
  const head = {
    place: backupTo ?? null,
    fault: null,
    encrypts: backupPassphrase !== undefined,
    running: jobs.some(({ task }) => task === 'scheduled_backup'),
    data: [],
  }
  if (backupTo === undefined) return head
  try {
    const stored = await listBackups(backupTo, s3, LISTED)
    const places = stored.map(({ name }) => backupPath(backupTo, name))
    const [trials, encryption] = await Promise.all([
      listTrials(ctx.sql, places),
      listEncryption(ctx.sql, places),
    ])
    const data = stored.map(({ name, bytes }): StoredBackup => {
      const isHere = ({ place }: { place: string }) => place === backupPath(backupTo, name)
      return {
        name,
        bytes,
        made_at: timeOf(name),
        encrypted: encryption.find(isHere)?.encrypted ?? null,
        check: checkOf(
          jobs.find(({ key }) => key === keyOf(name)),
          trials.find(isHere),
        ),
      }
    })
    return { ...head, data }
  } catch (error) {
    return { ...head, fault: explainFault(placeFault({ backupTo, s3 }, error))[language] }
  }
}

/** Finds a backup in BACKUP_TO, or throws 404. */
export async function findBackup(ctx: Context, name: string) {
  const path = backupPath(requirePlace(ctx), name)
  const place = openBackupPlace(path, ctx.config.s3)
  const bytes = await place.size()
  if (bytes === undefined) throw noSuchBackup()
  return { place, bytes }
}

/** Enqueues the check of a backup. Checks run one at a time, because each needs space for a whole database. */
export async function startCheck(ctx: Context, actor: Actor, name: string): Promise<void> {
  await findBackup(ctx, name)
  await transaction(ctx.sql, async (tx) => {
    const options = { key: keyOf(name), queue: 'backup_checks', maxAttempts: 2 }
    await addJob(tx, 'check_backup_file', { name }, options)
    await recordAudit(tx, actor, { action: 'backups.check', subjectType: 'backups', subjectId: name })
  })
}

export const backupCheckTasks = (ctx: Context): TaskList => ({
  async check_backup_file(payload) {
    const { name } = payload as { name: string }
    const { backupTo } = ctx.config
    if (backupTo !== undefined) await tryBackup(ctx.sql, backupPath(backupTo, name))
  },
})

/** Consumes the proof, and records the download. */
export async function allowDownload(ctx: Context, actor: Actor, use: UseProof, name: string): Promise<void> {
  const { bytes } = await findBackup(ctx, name)
  await transaction(ctx.sql, async (tx) => {
    await use(tx)
    await recordAudit(tx, actor, {
      action: 'backups.download',
      subjectType: 'backups',
      subjectId: name,
      after: { bytes },
    })
  })
}
