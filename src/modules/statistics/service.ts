import { isTime, wireTimeOrNull } from '#lib/time.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import { invalidField } from '#platform/errors.ts'
import type { Queue, Series, Statistics } from '#platform/statistics.ts'
import { activeSeries, tidyActivePeople } from './activity/service.ts'
import {
  beginSeries,
  countDays,
  countWaiting,
  type DaySum,
  listDays,
  listProgress,
  sumDays,
  WAITING_MAX,
} from './queries.ts'
import type { DailyStatistics, DaysQuery, WaitingQueues } from './schema.ts'

const DAY_MS = 86_400_000
const DAYS_MAX = 366
/** Nothing that is counted is older. */
const BEGINNING = '2010-01-01'
/** Days that one statement of the job counts. */
const CHUNK = 31
/** How long sums of days that are not over are kept. */
const LIVE_MS = 60_000

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const daysLater = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS)
const today = () => dayOf(Date.now())

/** What of these somebody may see. */
async function seenBy<T extends { ability: string }>(ctx: Context, viewerId: number, all: T[]): Promise<T[]> {
  const seen = await Promise.all(all.map(({ ability }) => hasAbility(ctx, viewerId, ability as Ability)))
  return all.filter((_, index) => seen[index])
}

/** What the areas count, brought together. */
export type Counted = { queues: Queue[]; series: Series[] }

/** Throws, at the start, when two areas count under one name. */
export function bringTogether(areas: Statistics[]): Counted {
  const counted = {
    queues: areas.flatMap(({ queues = [] }) => queues),
    series: [...areas.flatMap(({ series = [] }) => series), activeSeries],
  }
  for (const list of [counted.queues, counted.series]) {
    const names = list.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`Two areas have statistics of the name ${twice}`)
  }
  return counted
}

/** What waits for decisions that somebody may make (administration-14). */
export async function readWaiting(
  ctx: Context,
  { queues }: Counted,
  viewerId: number,
): Promise<WaitingQueues> {
  const seen = await seenBy(ctx, viewerId, queues)
  const rows = seen.length === 0 ? [] : await countWaiting(ctx.sql, seen)
  return {
    data: rows.map(({ name, count, oldest_at: oldest }) => ({
      name,
      count: Math.min(count, WAITING_MAX),
      more: count > WAITING_MAX,
      oldest_at: wireTimeOrNull(oldest),
    })),
  }
}

/** Sums of today and yesterday. Cheap by their indexes, and asked for by every look at the console. */
const liveSums = cacheCostly(
  LIVE_MS,
  (ctx: Context, series: Series[]): Promise<DaySum[]> =>
    sumDays(ctx.sql, series, daysLater(today(), -1), daysLater(today(), 1)),
)

/** What waits for decisions and what happened since midnight UTC, for whoever watches the server. */
export async function measure(ctx: Context, { queues, series }: Counted) {
  const [waiting, sums] = await Promise.all([countWaiting(ctx.sql, queues), liveSums(ctx, series)])
  const day = today()
  return {
    waiting: waiting.map(({ name, count, oldest_at: oldest }) => ({
      name,
      count,
      seconds: oldest === null ? 0 : Math.max(0, (Date.now() - Date.parse(oldest)) / 1000),
    })),
    today: series.map(({ name }) => ({
      name,
      value: sums.find((row) => row.series === name && row.day === day)?.value ?? 0,
    })),
  }
}

function checkDay(field: 'from' | 'to', day: string): string {
  if (!isTime(day)) throw invalidField(field, { en: 'There is no such day.', zh: '日期不存在。' })
  return day
}

/** Sums by day of what somebody may see (administration-15). */
export async function readDays(
  ctx: Context,
  { series: all }: Counted,
  viewerId: number,
  query: DaysQuery,
): Promise<DailyStatistics> {
  const seen = await seenBy(ctx, viewerId, all)
  const to = checkDay('to', query.to ?? today())
  const from = checkDay('from', query.from ?? daysLater(to, -29))
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (length < 1 || length > DAYS_MAX)
    throw invalidField('from', {
      en: `From one to ${DAYS_MAX} days can be asked for.`,
      zh: `时间范围须为 1 到 ${DAYS_MAX} 天。`,
    })
  const wanted = query.series ? seen.filter(({ name }) => query.series?.includes(name)) : seen
  const names = wanted.map(({ name }) => name)
  const [stored, progress, live] = await Promise.all([
    listDays(ctx.sql, names, from, to),
    listProgress(ctx.sql),
    liveSums(ctx, all),
  ])
  const countedUntil = new Map(progress.map((row) => [row.series, row.counted_until]))
  const sums = (rows: readonly DaySum[]) =>
    new Map(rows.map((row) => [`${row.series} ${row.day}`, row.value]))
  const [kept, now] = [sums(stored), sums(live)]
  const sumOf = (name: string, day: string): number | null => {
    if (day < (countedUntil.get(name) ?? BEGINNING)) return kept.get(`${name} ${day}`) ?? 0
    return day >= daysLater(today(), -1) && day <= today() ? (now.get(`${name} ${day}`) ?? 0) : null
  }
  const days = Array.from({ length }, (_, index) => daysLater(from, index))
  return { days, series: names.map((name) => ({ name, values: days.map((day) => sumOf(name, day)) })) }
}

/**
 * Counts every finished day that is not counted yet, in pieces: a stop interrupts it between two, and it goes on there. On
 * a database that was filled before there were sums, this reaches back to its beginning.
 */
export async function sumFinishedDays(ctx: Context, { series }: Counted, signal: AbortSignal): Promise<void> {
  const end = today()
  const names = series.map(({ name }) => name)
  await beginSeries(ctx.sql, names, BEGINNING)
  for (;;) {
    signal.throwIfAborted()
    const behind = (await listProgress(ctx.sql)).filter(
      (row) => names.includes(row.series) && row.counted_until < end,
    )
    const from = behind.map((row) => row.counted_until).sort()[0]
    if (from === undefined) break
    const next = series.filter(({ name }) =>
      behind.some((row) => row.series === name && row.counted_until === from),
    )
    const until = daysLater(from, CHUNK)
    await countDays(ctx.sql, next, from, until < end ? until : end)
  }
  await tidyActivePeople(ctx, daysLater(end, -1))
}
