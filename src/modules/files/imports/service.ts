import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { ApiError } from '#platform/errors.ts'
import { Text } from '#platform/http'
import type { ImportFault } from '#transfer/import-lines.ts'
import type { Media } from '../media/inspect.ts'
import { fileTooLarge, wrongKind } from '../schema.ts'
import { fileUses, saveUpload } from '../uploads/service.ts'

const listSources = (sql: Db, ids: number[]) => sql<{ id: number; key: string; name: string }[]>`
  select u.id, f.storage_key as key,
    encode(f.sha256, 'hex') || coalesce(substring(f.storage_key from '\.[a-z0-9]+$'), '') as name
  from file_uses u join files f on f.id = u.file_id where u.id = any(${ids})`

export async function attachImported(
  sql: Db,
  uses: { id: number; channel: string; raw: number }[],
): Promise<void> {
  if (uses.length === 0) return
  await sql`
    update file_uses u set channel = g.channel, raw = g.raw, attached_at = now()
    from unnest(${uses.map(({ id }) => id)}::bigint[], ${uses.map(({ channel }) => channel)}::text[],
      ${uses.map(({ raw }) => raw)}::bigint[]) as g (id, channel, raw)
    where u.id = g.id and u.channel is null`
}

export const listAttached = (sql: Db, channel: string, raws: number[]) => sql<{ id: number; raw: number }[]>`
  select id, raw from file_uses where channel = ${channel} and raw = any(${raws}) order by id`

/** Owner id of imported files, which belong to the site. */
const SITE = 0

export const ImportPath = Text(1000, { minLength: 1, description: 'Path relative to the folder of files' })

export type SavedFile = { id: number; size: string | null }
export type WantedFile = { number: number; field: string; path: string; kind?: Media['kind'] }

export type SavedFiles = { of(number: number, field: string): SavedFile | undefined }

/** Reports a missing or invalid file as an error of its line. Other errors, such as a full disk, abort the import. */
export async function saveFiles(
  ctx: Context,
  folder: string,
  wanted: WantedFile[],
): Promise<{ saved: SavedFiles; faults: ImportFault[] }> {
  const saved = new Map<string, SavedFile>()
  const faults = new Map<number, ImportFault>()
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
    return 'the path is outside the folder of files'
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
