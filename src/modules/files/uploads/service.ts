import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, type Stats } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '#platform/context.ts'
import { currentScope, type Db, transaction } from '#platform/database'
import { ApiError } from '#platform/errors.ts'
import { removeAbandoned, StorageError } from '#platform/files'
import { addJob } from '#platform/jobs'
import { cleanImage } from '../media/images.ts'
import { inspectMedia, type Media } from '../media/inspect.ts'
import { cleanMp4 } from '../media/mp4-clean.ts'
import { type ImageRequester, runUpload } from '../media/queue.ts'
import { soundCleaners } from '../media/sound-clean.ts'
import type { FileView } from '../schema.ts'
import {
  fileMissing,
  fileNotAccepted,
  fileNotUsable,
  fileTooLarge,
  refusedFile,
  uploadFault,
  wrongKind,
} from '../schema.ts'
import { removeWithVariants } from '../service.ts'
import {
  addFile,
  attachUses,
  type FileRow,
  listFiles,
  removeStaleUses,
  removeUnusedFiles,
  removeUses,
  reuseFile,
} from './queries.ts'

const TEMPORARY = 'kith-upload-'

/** `truncated`: whether the file exceeded the limit. Valid after the stream ends. */
export type Incoming = Readable & { truncated: boolean }

/** Stores an uploaded or imported file. Buffers it on disk, so that slow uploads do not fill the memory. */
export async function saveUpload(
  ctx: Context,
  ownerId: number,
  incoming: Incoming,
  field = 'file',
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), TEMPORARY))
  try {
    const path = join(folder, 'bytes')
    const md5 = createHash('md5')
    const sha256 = createHash('sha256')
    incoming.on('data', (chunk: Buffer) => {
      md5.update(chunk)
      sha256.update(chunk)
    })
    await pipeline(incoming, createWriteStream(path))
    if (incoming.truncated) throw refusedFile(field, fileTooLarge)
    const hashes = { sha256: sha256.digest(), md5: md5.digest() }
    const known = await reuseFile(ctx.sql, ownerId, { sha256: hashes.sha256 })
    return known ?? (await keep(ctx, ownerId, path, hashes, field))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function keep(
  ctx: Context,
  ownerId: number,
  path: string,
  hashes: { sha256: Buffer; md5: Buffer },
  field: string,
): Promise<number> {
  let key: string | undefined
  const caller = currentScope()
  const turn = { key: ownerId > 0 ? `user:${ownerId}` : '', isGone: () => caller?.isGone ?? false }
  try {
    return await runUpload(turn, async () => {
      // Reads the file only when its processing starts, so that queued uploads do not fill the memory.
      const bytes = await readFile(path)
      const media = bytes.length > 0 ? await inspectMedia(bytes) : null
      if (!media)
        throw refusedFile(field, {
          ...fileNotAccepted,
          text: bytes.length > 0 ? fileNotAccepted.text : fileMissing.text,
        })
      const cleaned = await cleanMedia(bytes, media, turn)
      const { mime, width, height } = media
      key = `files/${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/${randomBytes(24).toString('hex')}.${media.extension}`
      await ctx.storage.put(key, cleaned, { mime })
      const kept = await addFile(ctx.sql, {
        ownerId,
        ...hashes,
        key,
        mime,
        size: cleaned.length,
        width,
        height,
      })
      if (kept.key !== key) await ctx.storage.remove(key)
      return kept.id
    })
  } catch (error) {
    if (key !== undefined) await ctx.storage.remove(key).catch(() => {})
    throw uploadFault(ctx, error, field)
  }
}

export function isTruncatedUpload(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof ApiError) &&
    /unexpected end|multipart: boundary not found|part terminated early|premature close/i.test(error.message)
  )
}

export function cleanMedia(bytes: Buffer, media: Media, turn?: ImageRequester): Promise<Buffer> | Buffer {
  if (media.kind === 'image') return cleanImage(bytes, media.mime, turn)
  const clean = soundCleaners[media.mime] ?? cleanMp4
  return clean(bytes)
}

export type FileUse = {
  id: number
  kind: Media['kind']
  mime: string
  size: string | null
  bytes: number
  width: number | null
  height: number | null
}

type Attachment = { ownerId: number; channel: string; raw: number | null; field: string }

/** Throws 422 on `field` unless the owner may attach every upload. `raw` is the id of the content. */
export async function attachFiles(
  tx: Db,
  use: Attachment & { ids: number[]; kind?: Media['kind'] },
): Promise<Map<number, FileUse>> {
  if (use.ids.length === 0) return new Map()
  if (new Set(use.ids).size < use.ids.length) throw refusedFile(use.field, fileNotUsable)
  const rows = await attachUses(tx, use.ids, use.ownerId, use.channel, use.raw)
  if (rows.length < use.ids.length) throw refusedFile(use.field, fileNotUsable)
  const uses = rows.map(fileUse)
  if (use.kind && uses.some(({ kind }) => kind !== use.kind)) {
    throw refusedFile(use.field, wrongKind)
  }
  return new Map(uses.map((each) => [each.id, each]))
}

/** Attaches one picture, like `attachFiles`, and returns its size, such as `800x600`. */
export async function attachPicture(tx: Db, id: number, use: Attachment): Promise<string | null> {
  const files = await attachFiles(tx, { ...use, ids: [id], kind: 'image' })
  return files.get(id)?.size ?? null
}

/** Attaches usable uploads and skips the rest, because a wrong id in a text breaks only one picture. */
export async function attachUnattached(
  tx: Db,
  use: { ids: number[]; ownerId: number; channel: string; raw: number },
): Promise<void> {
  if (use.ids.length > 0) await attachUses(tx, use.ids, use.ownerId, use.channel, use.raw)
}

function fileUse(row: FileRow): FileUse {
  const { id, mime, bytes, width, height } = row
  return { id, kind: mime.split('/')[0] as Media['kind'], mime, size: sizeOf(row), bytes, width, height }
}

const sizeOf = ({ width, height }: FileRow) =>
  width === null || height === null ? null : `${width}x${height}`

export const fileUses = async (sql: Db, ids: number[]): Promise<FileUse[]> =>
  (await listFiles(sql, ids)).map(fileUse)

export async function readUpload(
  ctx: Context,
  id: number,
): Promise<{ stream: Readable; mime: string } | undefined> {
  const [file] = await listFiles(ctx.sql, [id])
  if (!file) return undefined
  try {
    return { stream: (await ctx.storage.open(file.key)).stream, mime: file.mime }
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'missing') return undefined
    throw error
  }
}

export async function fileViews(sql: Db, ids: number[]): Promise<Map<number, FileView>> {
  if (ids.length === 0) return new Map()
  const rows = await listFiles(sql, ids)
  return new Map(rows.map((row) => [row.id, { id: row.id, file: row.id, size: sizeOf(row), mime: row.mime }]))
}

/** Deletes the uploads of deleted content. A job deletes stored files that no other upload uses. */
export async function detachFiles(
  tx: Db,
  which: { ids: number[] } | { channel: string; raws: number[] },
): Promise<void> {
  const fileIds = await removeUses(tx, which)
  if (fileIds.length > 0) await addJob(tx, 'remove_files', { ids: fileIds })
}

/**
 * Deletes stored files before the commit that deletes their rows. If the storage fails, the rows remain for
 * the retry.
 */
export async function removeFiles(ctx: Context, ids: number[]): Promise<void> {
  await transaction(ctx.sql, async (tx) => removeWithVariants(ctx, tx, await removeUnusedFiles(tx, ids)))
}

const isOurs = ({ uid }: Stats) => process.getuid === undefined || uid === process.getuid()

export const tidyTemporary = (folder = tmpdir()): Promise<void> =>
  removeAbandoned(folder, (name, info) => name.startsWith(TEMPORARY) && isOurs(info))

export async function tidyUploads(ctx: Context, batch = 500): Promise<void> {
  for (let count = batch; count === batch; ) {
    const removed = await transaction(ctx.sql, async (tx) => {
      const stale = await removeStaleUses(tx, batch)
      if (stale.fileIds.length > 0) await addJob(tx, 'remove_files', { ids: stale.fileIds })
      return stale
    })
    count = removed.count
  }
}
