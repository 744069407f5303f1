import { type Context, defineState } from '#platform/context.ts'
import { createWriterScope, currentScope, logFailure, runInScope, type Sql } from '#platform/database'

const FLUSH_MS = 3000
const FLUSH_KEYS = 20_000
const BATCH = 5000

/** Adds counts to the database in one statement. The ids are sorted, so that two flushes cannot deadlock. */
export type WriteCounts = (sql: Sql, ids: number[], counts: number[]) => Promise<unknown>

type BufferOptions = { everyMs?: number; onWritten?: (ctx: Context, ids: number[]) => void }

/** Sums counts of frequent events such as views in memory. A crash loses the counts of the last seconds. */
export function defineBufferedCounts(
  name: string,
  write: WriteCounts,
  { everyMs = FLUSH_MS, onWritten }: BufferOptions = {},
) {
  return defineState((ctx) => {
    let counts = new Map<number, number>()
    let flushing = new Map<number, number>()
    let running: Promise<void> | undefined
    let timer: NodeJS.Timeout | undefined

    const writeAll = async () => {
      flushing = counts
      counts = new Map()
      const ids = [...flushing.keys()].sort((a, b) => a - b)
      for (let at = 0; at < ids.length; at += BATCH) {
        const batch = ids.slice(at, at + BATCH)
        try {
          const added = batch.map((id) => flushing.get(id) ?? 0)
          await runInScope(createWriterScope(), () => write(ctx.sql, batch, added))
          onWritten?.(ctx, batch)
        } catch (error) {
          logFailure(ctx.log, error, 'writing counts failed; they stay buffered for the next attempt', {
            counts: name,
          })
          for (const id of batch) counts.set(id, (counts.get(id) ?? 0) + (flushing.get(id) ?? 0))
        }
        for (const id of batch) flushing.delete(id)
      }
      if (counts.size > 0) schedule()
    }
    const flush = async () => {
      clearTimeout(timer)
      timer = undefined
      while (running !== undefined) await running
      running = writeAll().finally(() => {
        running = undefined
      })
      await running
    }
    const schedule = () => {
      timer ??= setTimeout(() => void flush(), everyMs).unref()
    }

    ctx.onClose.push(flush)
    return {
      add(ids: Iterable<number>): void {
        for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
        if (counts.size > FLUSH_KEYS && !running) void flush()
        else if (counts.size > 0) schedule()
      },
      pending: (id: number) => (counts.get(id) ?? 0) + (flushing.get(id) ?? 0),
      flush,
    }
  })
}

/** Counts a view now, and again whenever the guest cache sends the current response to another guest. */
export function countView(count: () => void): void {
  currentScope()?.shown?.push(count)
  count()
}
