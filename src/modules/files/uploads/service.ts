import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '#platform/context.ts'
import { currentCaller } from '#platform/database/callers.ts'
import { type Db, transaction } from '#platform/database.ts'
import { ApiError } from '#platform/errors.ts'
import { addJob } from '#platform/jobs.ts'
import { cleanImage } from '#platform/media/images.ts'
import { inspectMedia, type Media } from '#platform/media/inspect.ts'
import { cleanMp4 } from '#platform/media/mp4.ts'
import type { Turn } from '#platform/media/queue.ts'
import { StorageError } from '#platform/storage/errors.ts'
import {
  fileMissing,
  fileNotAccepted,
  fileNotUsable,
  fileTooLarge,
  refusedFile,
  uploadFault,
  wrongKind,
} from '../errors.ts'
import type { FileView } from '../schema.ts'
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
const DAY_MS = 86_400_000

/** A file as a client sends it: read to its end; `truncated` tells then that it went over the limit. */
export type Incoming = Readable & { truncated: boolean }

/**
 * Keeps what a client sends and answers the id of its use: 422 on `field` unless it is whole, of an accepted kind and
 * within the limits. It goes through a temporary file, so that slow senders do not fill the memory.
 */
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
    return known ?? (await keep(ctx, ownerId, await readFile(path), hashes, field))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function keep(
  ctx: Context,
  ownerId: number,
  bytes: Buffer,
  hashes: { sha256: Buffer; md5: Buffer },
  field: string,
): Promise<number> {
  let key: string | undefined
  try {
    const media = bytes.length > 0 ? await inspectMedia(bytes) : null
    if (!media)
      throw refusedFile(field, {
        ...fileNotAccepted,
        text: bytes.length > 0 ? fileNotAccepted.text : fileMissing.text,
      })
    const caller = currentCaller()
    // Files that Kith itself brings share a line of their own.
    const turn = { key: ownerId > 0 ? `user:${ownerId}` : '', isGone: () => caller?.isGone ?? false }
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
  } catch (error) {
    if (key !== undefined) await ctx.storage.remove(key).catch(() => {})
    throw uploadFault(ctx, error, field)
  }
}

/** Whether reading a multipart body failed because it ends early: the parser says so in plain errors, without a code. */
export function isCutShort(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof ApiError) &&
    /unexpected end|multipart: boundary not found|part terminated early|premature close/i.test(error.message)
  )
}

/** The media without what it tells about place and device. */
export function cleanMedia(bytes: Buffer, media: Media, turn?: Turn): Promise<Buffer> | Buffer {
  if (media.kind === 'image') return cleanImage(bytes, media.mime, turn)
  return media.kind === 'video' ? cleanMp4(bytes) : bytes
}

/** An upload that now belongs to content. */
export type FileUse = {
  id: number
  kind: Media['kind']
  mime: string
  /** Width x height, null for sound. */
  size: string | null
  bytes: number
  width: number | null
  height: number | null
}

/**
 * Binds uploads to what shows them, in the caller's transaction. Each has to be the owner's, unattached, given once
 * and of the wanted kind, else 422 on `field`. `raw` is null as long as that has no id of its own.
 */
export async function attachFiles(
  tx: Db,
  use: {
    ids: number[]
    ownerId: number
    channel: string
    raw: number | null
    field: string
    kind?: Media['kind']
  },
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

/**
 * Binds those of the uploads that are the owner's and not attached yet, and passes over all others: for ids that stand
 * in a text, where a wrong one is only a picture that is not shown.
 */
export async function adoptFiles(
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

/** Uploads by id, as what binds them sees them; unknown ids are left out. */
export const fileUses = async (sql: Db, ids: number[]): Promise<FileUse[]> =>
  (await listFiles(sql, ids)).map(fileUse)

/** The bytes of an upload, for a job that reads them; undefined when they are gone. */
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

/** Uploads as clients see them, by id; ids that are gone are left out. */
export async function fileViews(sql: Db, ids: number[]): Promise<Map<number, FileView>> {
  if (ids.length === 0) return new Map()
  const rows = await listFiles(sql, ids)
  return new Map(rows.map((row) => [row.id, { id: row.id, file: row.id, size: sizeOf(row), mime: row.mime }]))
}

/**
 * Deletes the uploads of content that is deleted, in the caller's transaction. Their bytes follow by a job when
 * nothing else uses them.
 */
export async function detachFiles(
  tx: Db,
  which: { ids: number[] } | { channel: string; raws: number[] },
): Promise<void> {
  const fileIds = await removeUses(tx, which)
  if (fileIds.length > 0) await addJob(tx, 'remove_files', { ids: fileIds })
}

/** Deletes files without a use, bytes and all. The rows go last, so that a failing store leaves them to the retry. */
export async function removeFiles(ctx: Context, ids: number[]): Promise<void> {
  await transaction(ctx.sql, async (tx) => removeWithVariants(ctx, tx, await removeUnusedFiles(tx, ids)))
}

/** Removes what uploads left behind whose process was killed: each works in a folder of its own. */
export async function tidyTemporary(folder = tmpdir()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(TEMPORARY)) continue
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    const isOurs = info && (process.getuid === undefined || info.uid === process.getuid())
    if (isOurs && Date.now() - info.mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Removes the uploads of more than a day ago that nothing took. */
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
