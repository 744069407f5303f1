import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { exportMusic, musicImporter } from '#modules/music/index.ts'
import { exportAllNews, newsImporter } from '#modules/news/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { type ImportEvents, importLines } from '#platform/import-lines.ts'
import { sendSignal } from '#platform/signals.ts'
import { prepareDatabase } from '../prepare.ts'
import { type Environment, withContext } from './context.ts'

/** What can be imported and exported. */
export const AREAS = ['music', 'news'] as const
export type Area = (typeof AREAS)[number]

const BAR = 30

/** A bar on a terminal, and nothing elsewhere; `clear` makes room for a line of text. */
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

/** `kith import music|news FILE`: exit code 1 when lines were left out. */
export function importFile(env: Environment, area: Area, path: string): Promise<number> {
  return withContext(env, async ({ ctx, connection }) => {
    await prepareDatabase(ctx, connection)
    const bar = createBar(process.stderr)
    const events: ImportEvents = {
      fault({ number, reason }) {
        bar.clear()
        process.stderr.write(`line ${number}: ${reason}\n`)
      },
      progress: bar.show,
    }
    const done = await importArea(ctx, area, path, events)
    bar.clear()
    if (done.resumedAt > 0) process.stdout.write(`Went on after line ${done.resumedAt}.\n`)
    process.stdout.write(`Imported ${done.kept} of ${done.lines - done.resumedAt} lines`)
    process.stdout.write(done.bad > 0 ? `; ${done.bad} were left out.\n` : '.\n')
    return done.bad > 0 ? 1 : 0
  })
}

async function importArea(ctx: Context, area: Area, path: string, events: ImportEvents) {
  if (area === 'music') return importLines(ctx, musicImporter, path, events)
  const done = await importLines(ctx, newsImporter, path, events)
  // Servers keep the categories in memory.
  await sendSignal(ctx.sql, 'news-categories', 'all')
  return done
}

const EXPORTS: Record<Area, (sql: Db) => AsyncGenerator<object[]>> = {
  music: exportMusic,
  news: exportAllNews,
}

/** `kith export music|news [FILE]`, to standard output where no file is given. */
export function exportFile(env: Environment, area: Area, path: string | undefined): Promise<number> {
  return withContext(env, async ({ ctx }) => {
    const target = path === undefined ? process.stdout : createWriteStream(path)
    let lines = 0
    for await (const batch of EXPORTS[area](ctx.sql)) {
      lines += batch.length
      const text = batch.map((line) => `${JSON.stringify(line)}\n`).join('')
      if (!target.write(text)) await new Promise((resolve) => target.once('drain', resolve))
    }
    if (path !== undefined) {
      target.end()
      await finished(target)
      process.stdout.write(`Exported ${lines} lines.\n`)
    }
    return 0
  })
}
