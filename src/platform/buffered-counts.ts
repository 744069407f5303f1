import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { currentCaller } from '#platform/database/callers.ts'
import type { LiveCounts } from '#platform/database/reading.ts'
import type { Sql } from '#platform/database.ts'
import { hasSiblings, onSibling, tellSiblings } from '#platform/processes/siblings.ts'

const FLUSH_MS = 3000
const FLUSH_KEYS = 20_000
const BATCH = 5000
/** What is told to the other processes of a node goes out together. */
const TELL_MS = 5
/** Counts of a process that was lost before it wrote them are shown no longer than this. */
const ELSEWHERE_MS = 60_000

/** Adds counts to the database in one statement; the ids are sorted, so that two flushes cannot deadlock. */
export type WriteCounts = (sql: Sql, ids: number[], counts: number[]) => Promise<unknown>

/** Counts of what happens too often to be written each time, such as views. A lost process loses seconds of them. */
export type BufferedCounts = LiveCounts & {
  /** `pending` is what was counted here and may not be in the database yet. */
  flush(): Promise<void>
}

/** Declares buffered counts, flushed every few seconds and on shutdown; the returned function answers a context's own. */
export function defineBufferedCounts(name: string, write: WriteCounts) {
  const counters = new WeakMap<object, BufferedCounts>()
  return (ctx: Context): BufferedCounts => {
    const known = counters.get(ctx.sql)
    if (known) return known
    const made = createBufferedCounts(ctx, name, write)
    counters.set(ctx.sql, made)
    ctx.onClose.push(made.flush)
    return made
  }
}

function createBufferedCounts(ctx: Context, name: string, write: WriteCounts): BufferedCounts {
  let counts = new Map<number, number>()
  let flushing = new Map<number, number>()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const siblings = hasSiblings ? shareCounts(name) : undefined

  const writeAll = async () => {
    flushing = counts
    counts = new Map()
    const ids = [...flushing.keys()].sort((a, b) => a - b)
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH)
      try {
        await write(
          ctx.sql,
          batch,
          batch.map((id) => flushing.get(id) ?? 0),
        )
        for (const id of batch) siblings?.tell(id, -(flushing.get(id) ?? 0))
      } catch (error) {
        ctx.log.warn(
          { err: error, counts: name },
          'counts could not be written and are kept for the next try',
        )
        for (const id of batch) counts.set(id, (counts.get(id) ?? 0) + (flushing.get(id) ?? 0))
      }
      for (const id of batch) flushing.delete(id)
    }
    if (counts.size > 0) schedule()
  }
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    while (running) await running
    running = writeAll().finally(() => {
      running = undefined
    })
    await running
  }
  const schedule = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }

  const own: LiveCounts = {
    add(ids) {
      for (const id of ids) {
        counts.set(id, (counts.get(id) ?? 0) + 1)
        siblings?.tell(id, 1)
      }
      if (counts.size > FLUSH_KEYS && !running) void flush()
      else if (counts.size > 0) schedule()
    },
    pending: (id) => (counts.get(id) ?? 0) + (flushing.get(id) ?? 0) + (siblings?.pending(id) ?? 0),
  }
  return {
    // What is kept counts when it is sent, and shows what is pending then.
    add(ids) {
      const reading = currentCaller()?.reading
      if (reading) reading.shows(own, [...ids])
      else own.add(ids)
    },
    pending: (id) => currentCaller()?.reading?.live(own, id) ?? own.pending(id),
    flush,
  }
}

/** What the other processes of this node have counted and not written yet; they are told what is counted here. */
function shareCounts(name: string) {
  const subject = `counted ${name}`
  const elsewhere = new LRUCache<number, number>({ max: FLUSH_KEYS, ttl: ELSEWHERE_MS })
  let untold = new Map<number, number>()
  onSibling<[number, number][]>(subject, (changes) => {
    for (const [id, change] of changes) {
      const count = (elsewhere.get(id) ?? 0) + change
      if (count > 0) elsewhere.set(id, count)
      else elsewhere.delete(id)
    }
  })
  const tellAll = () => {
    const changes = [...untold].filter(([, change]) => change !== 0)
    untold = new Map()
    if (changes.length > 0) void tellSiblings(subject, changes)
  }
  return {
    tell(id: number, change: number): void {
      if (untold.size === 0) setTimeout(tellAll, TELL_MS)
      untold.set(id, (untold.get(id) ?? 0) + change)
    },
    pending: (id: number): number => elsewhere.get(id) ?? 0,
  }
}
