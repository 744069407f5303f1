import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PersonalTable } from '#contracts/personal-data.ts'
import { wireTime } from '#lib/time.ts'
import { readAccountSettings, type UseProof } from '#modules/accounts/index.ts'
import { messageUser } from '#modules/mail/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { removeAbandoned } from '#platform/files'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import { writeArchive } from './archive.ts'
import {
  deleteExportsOf,
  deleteOldExports,
  type ExportRow,
  expireExports,
  exportNotReady,
  exportRunning,
  exportTooSoonUntil,
  failExports,
  findArchive,
  findExport,
  findNextExport,
  findWaiting,
  finishExport,
  insertExport,
  listExports,
  noSuchExport,
  type WaitingRow,
} from './queries.ts'

const ATTEMPTS = 5
const AT_ONCE = 500
const MEGABYTE = 1024 * 1024
/** Age in days at which a waiting export counts as failed. All attempts of its job take less time. */
const GIVEN_UP_DAYS = 2
const KEPT_DAYS = 90

export type Attempt = { signal: AbortSignal; isLast: boolean }

export async function askExport(
  ctx: Context,
  userId: number,
  use: UseProof,
  language: Language,
): Promise<ExportRow> {
  const { 'account:export-hours': hours } = await readAccountSettings(ctx)
  return transaction(ctx.sql, async (tx) => {
    await use(tx)
    return startExport(tx, userId, hours, language)
  })
}

async function startExport(tx: Tx, userId: number, hours: number, language: Language): Promise<ExportRow> {
  const next = await findNextExport(tx, userId, hours)
  const [last] = await listExports(tx, userId, 1)
  if (last?.state === 'waiting') throw exportRunning()
  if (next !== undefined) throw exportTooSoonUntil(next)
  const key = `exports/${userId}/${randomBytes(24).toString('hex')}.zip`
  const made = await insertExport(tx, { userId, language, key })
  await addJob(tx, 'make_export', { id: made.id }, { maxAttempts: ATTEMPTS })
  return made
}

export async function askExportOutside(
  ctx: Context,
  userId: number,
  use: UseProof,
  language: Language,
): Promise<ExportRow> {
  const { 'account:export-hours': hours } = await readAccountSettings(ctx)
  return transaction(ctx.sql, async (tx) => {
    await use(tx)
    const [last] = await listExports(tx, userId, 1)
    const isOf = last?.state === 'waiting' || last?.state === 'ready'
    return last && isOf ? last : startExport(tx, userId, hours, language)
  })
}

export async function getReadyExport(ctx: Context, userId: number, id: number): Promise<ExportRow> {
  const row = await findExport(ctx.sql, userId, id)
  if (!row) throw noSuchExport()
  if (row.state !== 'ready') throw exportNotReady()
  return row
}

async function tell(
  ctx: Context,
  tx: Tx,
  { id, user_id: userId }: Pick<WaitingRow, 'id' | 'user_id'>,
  state: 'ready' | 'failed',
  until = '',
): Promise<void> {
  await messageUser(ctx, tx, userId, {
    mail: `export-${state}`,
    values: { until },
    page: 'exports',
    mailOnly: true,
  })
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'data-exports', id },
    data: { type: 'account:export', state, resource: { type: 'users', id: userId } },
  })
}

/** Writes archives to the data disk, because the system's temporary directory may be too small. */
const workplaceOf = (ctx: Context) => join(ctx.config.dataDir, 'exports')

/**
 * Writes and stores the archive of an export, and notifies the user. Reports a failure to the user only after the
 * last attempt of the job.
 */
async function makeExport(
  ctx: Context,
  tables: readonly PersonalTable[],
  id: number,
  { signal, isLast }: Attempt,
): Promise<void> {
  const waiting = await findWaiting(ctx.sql, id)
  if (!waiting) return
  const { user_id: userId, name, language, storage_key: key } = waiting
  const settings = await readAccountSettings(ctx)
  const workplace = workplaceOf(ctx)
  await mkdir(workplace, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(workplace, 'export-'))
  try {
    const path = join(folder, 'archive.zip')
    const made = await writeArchive(ctx, tables, {
      path,
      account: { id: userId, name },
      language,
      bytesLimit: settings['account:export-megabytes'] * MEGABYTE,
      signal,
    })
    await ctx.storage.put(key, { path }, { mime: 'application/zip' })
    const days = settings['account:export-days']
    const isWanted = await transaction(ctx.sql, async (tx) => {
      const until = await finishExport(tx, id, { ...made, days })
      if (until !== undefined) await tell(ctx, tx, waiting, 'ready', wireTime(until))
      // Another worker may have finished the export, if this worker was presumed dead.
      return until !== undefined || (await findArchive(tx, id)) !== undefined
    })
    // Removes the archive if the account was erased or the export was given up in the meantime.
    if (!isWanted) await ctx.storage.remove(key)
  } catch (error) {
    if (isLast && !signal.aborted) await giveUp(ctx, { id })
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const giveUp = (ctx: Context, which: Parameters<typeof failExports>[1]): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const failed = await failExports(tx, which)
    for (const each of failed) await tell(ctx, tx, each, 'failed')
    await removeLater(
      tx,
      failed.map(({ storage_key }) => storage_key),
    )
  })

async function removeLater(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await addJob(tx, 'remove_exports', { keys })
}

async function removeArchives(ctx: Context, keys: string[]): Promise<void> {
  for (const key of keys) await ctx.storage.remove(key)
}

/**
 * Expires an export at the request of its owner, so that a stolen token can no longer fetch the archive.
 */
export async function endExport(ctx: Context, userId: number, id: number): Promise<void> {
  const row = await findExport(ctx.sql, userId, id)
  if (!row) throw noSuchExport()
  await transaction(ctx.sql, async (tx) => removeLater(tx, await expireExports(tx, { userId, id })))
}

export async function forgetExports(tx: Tx, userId: number): Promise<void> {
  await removeLater(tx, await deleteExportsOf(tx, userId))
}

async function tidyExports(ctx: Context): Promise<void> {
  for (let count = AT_ONCE; count === AT_ONCE; )
    count = await transaction(ctx.sql, async (tx) => {
      const keys = await expireExports(tx, { limit: AT_ONCE })
      await removeLater(tx, keys)
      return keys.length
    })
  await giveUp(ctx, { olderThanDays: GIVEN_UP_DAYS })
  while ((await deleteOldExports(ctx.sql, KEPT_DAYS, AT_ONCE)).length === AT_ONCE);
  await removeAbandoned(workplaceOf(ctx))
}

export const exportTasks =
  (tables: readonly PersonalTable[]) =>
  (ctx: Context): TaskList => ({
    make_export: (payload, { job, abortSignal: signal }) =>
      makeExport(ctx, tables, (payload as { id: number }).id, {
        signal,
        isLast: job.attempts >= job.max_attempts,
      }),
    remove_exports: (payload) => removeArchives(ctx, (payload as { keys: string[] }).keys),
    tidy_exports: () => tidyExports(ctx),
  })

export const exportSchedules: Schedule[] = [{ task: 'tidy_exports', pattern: '41 * * * *' }]
