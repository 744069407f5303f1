import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { logFailure, type Sql } from '#platform/database'
import {
  Int,
  Nullable,
  type SeenAddresses,
  Shared,
  type Static,
  seenAddresses,
  Time,
  Type,
} from '#platform/http'
import { quantileMs, type Traffic } from '#platform/observability'

export const TrafficQuery = Type.Object({ hours: Type.Optional(Int(1, 168, { default: 24 })) })

const Piece = Shared('TrafficPiece', {
  at: Time,
  requests: Type.Integer(),
  faults: Type.Integer({ description: 'Number of 5xx responses' }),
  median_ms: Nullable(Type.Number({ description: 'Median duration; null without requests' })),
  p95_ms: Nullable(Type.Number({ description: '95th percentile of the duration' })),
})

export const TrafficHistory = Shared('TrafficHistory', {
  minutes: Type.Integer({ description: 'Length of a piece in minutes' }),
  pieces: Type.Array(Piece),
})
export type TrafficHistory = Static<typeof TrafficHistory>

const addTraffic = (sql: Sql, at: Date, { requests, faults, times }: Traffic, seen: SeenAddresses) => sql`
  insert into request_minutes as m (at, requests, faults, times, own_address, other_address, other_origin,
    untrusted_proxy, proxy)
  values (${at}, ${requests}, ${faults}, ${times}::integer[], ${seen.own}, ${seen.other}, ${seen.origin},
    ${seen.proxied}, ${seen.proxy})
  on conflict (at) do update set requests = m.requests + excluded.requests, faults = m.faults + excluded.faults,
    own_address = m.own_address + excluded.own_address, other_address = m.other_address + excluded.other_address,
    other_origin = coalesce(excluded.other_origin, m.other_origin), proxy = coalesce(excluded.proxy, m.proxy),
    untrusted_proxy = m.untrusted_proxy + excluded.untrusted_proxy,
    times = array(
      select coalesce(a, 0) + coalesce(b, 0) from unnest(m.times, excluded.times) with ordinality as u (a, b, place)
      order by place
    )`

const listTraffic = (sql: Sql, since: Date, minutes: number) => sql<(Traffic & { at: string })[]>`
  with pieces as (
    select date_bin(make_interval(mins => ${minutes}), at, 'epoch') as piece, requests, faults, times
    from request_minutes where at >= ${since}
  ),
  sums as (select piece, sum(requests)::int as requests, sum(faults)::int as faults from pieces group by 1),
  spread as (
    select piece, place, sum(count)::int as count from pieces, unnest(times) with ordinality as t (count, place)
    group by 1, 2
  )
  select piece as at, requests, faults, array(
      select count from spread where spread.piece = sums.piece order by place
    ) as times
  from sums order by piece`

const deleteOldTraffic = (sql: Sql, days: number) => sql`
  delete from request_minutes where at < now() - make_interval(days => ${days})`

const MINUTE_MS = 60_000
const KEPT_DAYS = 7
/** Time after the end of a minute within which every process writes its counts, in milliseconds. */
const WRITTEN_MS = 5000
/** Maximum number of minutes buffered during a database outage. */
const UNWRITTEN_MAX = 60
/** Interval length by requested hours, so that a chart has at most a few hundred points. */
const PIECES = [
  { hours: 2, minutes: 1 },
  { hours: 24, minutes: 5 },
  { hours: 168, minutes: 60 },
]

export function trafficWriter(ctx: Context): () => Promise<void> {
  let unwritten: { at: Date; traffic: Traffic; seen: SeenAddresses }[] = []
  return async () => {
    const traffic = ctx.metrics.takeTraffic()
    const seen = seenAddresses(ctx).take()
    // Subtracts a second, because the timer fires just after the end of the counted minute.
    const at = new Date(Math.floor((Date.now() - 1000) / MINUTE_MS) * MINUTE_MS)
    const writing = traffic.requests > 0 ? [...unwritten, { at, traffic, seen }] : unwritten
    unwritten = []
    for (const [index, { at, traffic, seen }] of writing.entries()) {
      try {
        await addTraffic(ctx.sql, at, traffic, seen)
      } catch (error) {
        logFailure(ctx.log, error, 'writing request counts failed; they stay buffered for the next attempt')
        unwritten = writing.slice(index).slice(-UNWRITTEN_MAX)
        return
      }
    }
  }
}

export function recordTraffic(ctx: Context): void {
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

export async function readTraffic(ctx: Context, hours: number): Promise<TrafficHistory> {
  const { minutes } = PIECES.find((each) => hours <= each.hours)!
  const length = minutes * MINUTE_MS
  // Ends the chart before the current interval, because its unfinished counts would look like a drop.
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

export const tidyTraffic = ({ sql }: Context) => deleteOldTraffic(sql, KEPT_DAYS + 1)
