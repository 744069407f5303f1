import { mkdir, open, rm, stat, statfs } from 'node:fs/promises'
import { openBackupPlace, peekBackup } from '#backup/place.ts'
import { readOutcome, readRequest, restoreFolder, uploadedBackup, writeRequest } from '#backup/request.ts'
import { wireTime } from '#lib/time.ts'
import { hasMembers, type UseProof } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { removeAbandoned, StorageError } from '#platform/files'
import {
  noBackupFile,
  noUpload,
  partTooFar,
  passphraseNeeded,
  type RestoreState,
  siteHasMembers,
} from './schema.ts'
import { findBackup } from './service.ts'

/** Disk space in bytes that an upload leaves to the database. */
const SPARED = 256 * 1024 * 1024

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  )

export async function readRestore({ config, sql }: Context): Promise<RestoreState> {
  const [members, uploaded, request, outcome] = await Promise.all([
    hasMembers(sql),
    sizeOf(uploadedBackup(config)),
    readRequest(config),
    readOutcome(config),
  ])
  return {
    possible: !members,
    uploaded,
    requested: request !== undefined,
    outcome: outcome ? { ended_at: wireTime(outcome.ended_at), fault: outcome.fault } : null,
  }
}

async function requireNewSite({ sql }: Context): Promise<void> {
  if (await hasMembers(sql)) throw siteHasMembers()
}

export async function beginUpload(ctx: Context): Promise<void> {
  await requireNewSite(ctx)
  await mkdir(restoreFolder(ctx.config), { recursive: true, mode: 0o700 })
  await rm(uploadedBackup(ctx.config), { force: true })
}

/** Writes a part at its place, so that a client can repeat one. Returns the size of the upload. */
export async function writePart(ctx: Context, offset: number, bytes: Buffer): Promise<number> {
  await requireNewSite(ctx)
  const path = uploadedBackup(ctx.config)
  const size = (await sizeOf(path)) ?? 0
  if (offset > size) throw partTooFar()
  const disk = await statfs(restoreFolder(ctx.config))
  if (disk.blocks > 0 && disk.bavail * disk.bsize < bytes.length + SPARED)
    throw new StorageError('full', 'No space is left for the upload')
  await using file = await open(path, size === 0 ? 'w' : 'r+', 0o600)
  await file.write(bytes, 0, bytes.length, offset)
  return Math.max(size, offset + bytes.length)
}

/** Requests a restore, and restarts the server, which runs it before it listens. */
export async function requestRestore(
  ctx: Context,
  actor: Actor,
  use: UseProof,
  backup: string | undefined,
): Promise<void> {
  await requireNewSite(ctx)
  const { config } = ctx
  const place =
    backup === undefined
      ? openBackupPlace(uploadedBackup(config), config.s3)
      : (await findBackup(ctx, backup)).place
  if (((await place.size()) ?? 0) === 0) throw noUpload()
  const kind = await peekBackup(place)
  if (kind === undefined) throw noBackupFile()
  if (kind === 'sealed' && config.backupPassphrase === undefined) throw passphraseNeeded()
  await transaction(ctx.sql, async (tx) => {
    await use(tx)
    await recordAudit(tx, actor, {
      action: 'backups.restore',
      subjectType: 'backups',
      subjectId: backup ?? '*',
      after: { from: place.name },
    })
  })
  await writeRequest(config, { from: place.name })
  ctx.log.warn({ from: place.name }, 'a restore was requested, so the server restarts')
  ctx.restart?.()
}

/** Removes uploads that no restore used. */
export const tidyUploads = ({ config }: Pick<Context, 'config'>): Promise<void> =>
  removeAbandoned(restoreFolder(config), (name) => name === 'upload.backup')
