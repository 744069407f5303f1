import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { ApiError } from '#platform/errors.ts'
import type { Fault } from '#platform/import-lines.ts'
import type { Media } from '#platform/media/inspect.ts'
import { Text } from '#platform/schema.ts'
import { fileTooLarge, wrongKind } from '../errors.ts'
import { fileUses, saveUpload } from '../uploads/service.ts'
import { listSources } from './queries.ts'

/** Imported files belong to the site, not to a person. */
const SITE = 0

/** The path of a file in a line, below the folder of the import. */
export const ImportPath = Text(1000, { minLength: 1, description: 'below the folder of files' })

/** A file that a line brings: an upload that nothing shows yet. */
export type SavedFile = { id: number; size: string | null }
export type WantedFile = { number: number; field: string; path: string; kind?: Media['kind'] }

/** Files that lines brought, by line and field: each has a use of its own of the bytes. */
export type SavedFiles = { of(number: number, field: string): SavedFile | undefined }

/** Keeps the files of lines. A file that is missing or of a wrong kind is a fault of its line; a full disk is none. */
export async function saveFiles(
  ctx: Context,
  folder: string,
  wanted: WantedFile[],
): Promise<{ saved: SavedFiles; faults: Fault[] }> {
  const saved = new Map<string, SavedFile>()
  const faults = new Map<number, Fault>()
  for (const { number, field, path, kind } of wanted) {
    if (faults.has(number)) continue
    const outcome = await saveFile(ctx, folder, path, kind)
    if (typeof outcome === 'string') faults.set(number, { number, reason: `${path}: ${outcome}` })
    else saved.set(`${number} ${field}`, outcome)
  }
  return {
    saved: { of: (number, field) => saved.get(`${number} ${field}`) },
    faults: [...faults.values()],
  }
}

async function saveFile(
  ctx: Context,
  folder: string,
  path: string,
  kind: Media['kind'] | undefined,
): Promise<SavedFile | string> {
  const below = normalize(path.replaceAll('\\', '/'))
  if (below.startsWith('/') || below.split('/').includes('..') || /^[a-z]:/i.test(below))
    return 'the path leads out of the folder of files'
  const place = join(folder, below)
  const found = await stat(place).catch(() => undefined)
  if (!found?.isFile()) return 'there is no such file'
  if (found.size > ctx.config.maxUploadBytes) return fileTooLarge.text.en
  try {
    const incoming = Object.assign(createReadStream(place), { truncated: false })
    const id = await saveUpload(ctx, SITE, incoming)
    const [use] = await fileUses(ctx.sql, [id])
    return !use || (kind && use.kind !== kind) ? wrongKind.text.en : { id, size: use.size }
  } catch (error) {
    const [text] = error instanceof ApiError ? Object.values(error.details.errors ?? {}).flat() : []
    if (text) return text.en
    throw error
  }
}

/** The files that rows show in one of their columns: their names in an export, and where the bytes are. */
export async function createFileList<Column extends string>(
  sql: Db,
  rows: readonly { [Name in Column]: number | null }[],
  column: Column,
): Promise<{ name(id: number | null): string | null; sources: { key: string; name: string }[] }> {
  const ids = rows.flatMap((row) => row[column] ?? [])
  const sources = ids.length > 0 ? await listSources(sql, ids) : []
  const names = new Map(sources.map(({ id, name }) => [id, name]))
  return { name: (id) => (id === null ? null : (names.get(id) ?? null)), sources: [...sources] }
}
