import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { quantileMs, type Traffic } from '#platform/request-times.ts'
import { addTraffic, forgetTraffic, listTraffic } from './queries.ts'
import type { TrafficHistory } from './schema.ts'

const MINUTE_MS = 60_000
const KEPT_DAYS = 7
/** After so long every process has written its last minute. */
const WRITTEN_MS = 5000
/** Minutes that wait to be written while the database is away. */
const UNWRITTEN_MAX = 60
/** How long a piece is, by the hours that are asked for: some hundred pieces make a chart. */
const PIECES = [
  { hours: 2, minutes: 1 },
  { hours: 24, minutes: 5 },
  { hours: 168, minutes: 60 },
]

/** Writes what this process has counted since the last call, and what could not be written then. */
export function trafficWriter(ctx: Context): () => Promise<void> {
  let unwritten: { at: Date; traffic: Traffic }[] = []
  return async () => {
    const traffic = ctx.metrics.takeTraffic()
    // What is written at the end of a minute belongs to it.
    const at = new Date(Math.floor((Date.now() - 1000) / MINUTE_MS) * MINUTE_MS)
    const writing = traffic.requests > 0 ? [...unwritten, { at, traffic }] : unwritten
    unwritten = []
    for (const [index, { at, traffic }] of writing.entries()) {
      try {
        await addTraffic(ctx.sql, at, traffic)
      } catch (error) {
        ctx.log.warn({ err: error }, 'the requests of a minute are kept for the next try')
        unwritten = writing.slice(index).slice(-UNWRITTEN_MAX)
        return
      }
    }
  }
}

/** Keeps how many requests this process answers, minute by minute, until it ends. */
export function keepTraffic(ctx: Context): void {
  const write = trafficWriter(ctx)
  let timer: NodeJS.Timeout
  const later = () => {
    timer = setTimeout(() => void write().finally(later), MINUTE_MS - (Date.now() % MINUTE_MS)).unref()
  }
  later()
  ctx.onClose.push(async () => {
    clearTimeout(timer)
    await write()
  })
}

/** Requests and their times of the last hours, in pieces that are over (administration-21). */
export async function readTraffic(ctx: Context, hours: number): Promise<TrafficHistory> {
  const { minutes } = PIECES.find((each) => hours <= each.hours)!
  const length = minutes * MINUTE_MS
  // A piece that is not over would look like a fall, and what ended just now may not be written everywhere.
  const last = Math.floor((Date.now() - WRITTEN_MS) / length) * length - length
  const first = last - hours * 60 * MINUTE_MS + length
  const rows = await listTraffic(ctx.sql, new Date(first), minutes)
  const found = new Map(rows.map((row) => [Date.parse(row.at), row]))
  const pieces = Array.from({ length: (last - first) / length + 1 }, (_, index) => {
    const at = first + index * length
    const { requests = 0, faults = 0, times = [] } = found.get(at) ?? {}
    return {
      at: wireTime(new Date(at).toISOString().replace('T', ' ')),
      requests,
      faults,
      median_ms: quantileMs(times, 0.5),
      p95_ms: quantileMs(times, 0.95),
    }
  })
  return { minutes, pieces }
}

/** Forgets what is older than any chart. */
export const tidyTraffic = ({ sql }: Context) => forgetTraffic(sql, KEPT_DAYS + 1)
