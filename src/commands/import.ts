import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished, pipeline } from 'node:stream/promises'
import { exportMusic, musicImporter } from '#modules/music/index.ts'
import { exportAllNews, newsImporter } from '#modules/news/index.ts'
import type { Context } from '#platform/context.ts'
import { announce, type Db } from '#platform/database'
import { prepareDatabase } from '#startup/prepare.ts'
import type { ExportBatch } from '#transfer/export-lines.ts'
import { type ImportEvents, type ImportOptions, importLines } from '#transfer/import-lines.ts'
import { type Environment, withContext } from './context.ts'

export const AREAS = ['music', 'news'] as const
export type Area = (typeof AREAS)[number]

const BAR = 30

/** Draws a progress bar on a terminal, and nothing elsewhere. `clear` erases the bar before other output. */
function createBar(stream: NodeJS.WriteStream) {
  const started = performance.now()
  let shown = false
  const clear = () => {
    if (shown) stream.write('\r\x1b[K')
    shown = false
  }
  return {
    clear,
    show(share: number, lines: number) {
      if (!stream.isTTY) return
      const filled = Math.round(share * BAR)
      const seconds = (performance.now() - started) / 1000
      const left = share > 0.01 ? `, about ${Math.ceil(seconds / share - seconds)} s left` : ''
      clear()
      stream.write(
        `[${'='.repeat(filled)}${' '.repeat(BAR - filled)}] ${Math.floor(share * 100)} %, ${lines} lines${left}`,
      )
      shown = true
    },
  }
}

const folderOf = (path: string) => `${path}.files`

/** Implements `kith import music|news FILE`. Returns exit code 1 when lines were skipped. */
export function importFile(
  env: Environment,
  area: Area,
  path: string,
  { files = folderOf(path), again = false }: { files?: string; again?: boolean },
): Promise<number> {
  return withContext(env, async ({ ctx, forJobs, connection }) => {
    await prepareDatabase(forJobs, connection)
    const bar = createBar(process.stderr)
    const events: ImportEvents = {
      fault({ number, reason }) {
        bar.clear()
        process.stderr.write(`line ${number}: ${reason}\n`)
      },
      progress: bar.show,
    }
    const done = await importArea(ctx, area, { path, folder: files, again }, events)
    bar.clear()
    if (done.resumedAt > 0) process.stdout.write(`Resumed after line ${done.resumedAt}.\n`)
    process.stdout.write(`Imported ${done.kept} of ${done.lines - done.resumedAt} lines`)
    process.stdout.write(done.bad > 0 ? `; ${done.bad} were skipped.\n` : '.\n')
    return done.bad > 0 ? 1 : 0
  })
}

async function importArea(ctx: Context, area: Area, options: ImportOptions, events: ImportEvents) {
  if (area === 'music') return importLines(ctx, musicImporter, options, events)
  const done = await importLines(ctx, newsImporter, options, events)
  await announce(ctx.sql, 'news-categories', ['all'])
  return done
}

const EXPORTS: Record<Area, (sql: Db) => AsyncGenerator<ExportBatch>> = {
  music: exportMusic,
  news: exportAllNews,
}

/** An export contains drafts and paid content, which other users of the machine must not read. */
const PRIVATE = { mode: 0o600 }
const PRIVATE_FOLDER = { recursive: true, mode: 0o700 }

async function copyFiles({ storage }: Context, folder: string, files: ExportBatch['files']): Promise<void> {
  for (const { key, name } of files) {
    const place = join(folder, name)
    if (await stat(place).catch(() => undefined)) continue
    const draft = `${place}.part`
    await pipeline((await storage.open(key)).stream, createWriteStream(draft, PRIVATE))
    await rename(draft, place)
  }
}

export function exportFile(
  env: Environment,
  area: Area,
  path: string | undefined,
  { files }: { files?: string | undefined },
): Promise<number> {
  return withContext(env, async ({ ctx }) => {
    const { lines, named } = await exportArea(ctx, area, path, files)
    if (path !== undefined) process.stdout.write(`Exported ${lines} lines and ${named} files.\n`)
    else if (files === undefined && named > 0)
      process.stderr.write(`The lines refer to ${named} files. Add --files DIR to copy them.\n`)
    return 0
  })
}

/**
 * Exports an area such as music to a file, atomically and from one snapshot. Copies the uploads to a folder
 * next to the file.
 */
export async function exportArea(
  ctx: Context,
  area: Area,
  path: string | undefined,
  files = path && folderOf(path),
): Promise<{ lines: number; named: number }> {
  const draft = path && `${path}.part`
  if (path !== undefined) await mkdir(dirname(path), PRIVATE_FOLDER)
  if (files !== undefined) await mkdir(files, PRIVATE_FOLDER)
  const target = draft === undefined ? process.stdout : createWriteStream(draft, PRIVATE)
  const failed = new Promise<never>((_, reject) => target.once('error', reject))
  failed.catch(() => {})
  let [lines, named] = [0, 0]
  try {
    await ctx.sql.begin(async (tx) => {
      await tx.unsafe('set transaction isolation level repeatable read, read only')
      await tx`set local idle_in_transaction_session_timeout = 0`
      for await (const batch of EXPORTS[area](tx)) {
        if (files !== undefined) await copyFiles(ctx, files, batch.files)
        lines += batch.lines.length
        named += batch.files.length
        const text = batch.lines.map((line) => `${JSON.stringify(line)}\n`).join('')
        if (!target.write(text))
          await Promise.race([new Promise((resolve) => target.once('drain', resolve)), failed])
      }
    })
    if (path !== undefined && draft !== undefined) {
      target.end()
      await finished(target)
      await rename(draft, path)
    }
    return { lines, named }
  } catch (error) {
    if (draft !== undefined) await rm(draft, { force: true })
    throw error
  }
}
