import type { Queue, Series, Statistics } from '#contracts/statistics.ts'
import { isTime, wireTimeOrNull } from '#lib/time.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Row } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { Nullable, Shared, type Static, Text, TextList, Time, Type } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { activeSeries, countActiveSince, tidyActivePeople } from './activity/service.ts'

/** Maximum number of entries that are counted in a queue, because counting more is slow. */
const WAITING_MAX = 10_000

const unionOf = (sql: Db, parts: Fragment[]): Fragment =>
  parts.reduce((all, part) => sql`${all} union all ${part}`)

const countWaiting = (sql: Db, queues: Queue[]) => {
  const parts = queues.map(
    ({ name, waiting }) => sql`
      select ${name}::text as name, count(*)::int as count, min(since) as oldest_at,
        greatest(0, extract(epoch from now() - min(since)))::float8 as seconds
      from (${waiting(sql)} limit ${WAITING_MAX + 1}) w`,
  )
  return sql<
    { name: string; count: number; oldest_at: string | null; seconds: number | null }[]
  >`${unionOf(sql, parts)}`
}

type DaySum = Row<'daily_statistics', 'series' | 'day' | 'value'>

/** Start of a day in the time zone of the site. A subquery, so that PostgreSQL reads the setting once. */
const startOf = (sql: Db, day: string): Fragment =>
  sql`(select ${day}::date::timestamp at time zone site_time_zone())`

const sums = (sql: Db, series: Series[], from: string, until: string): Fragment =>
  unionOf(
    sql,
    series.map(
      ({ name, happened }) => sql`
        select ${name}::text as series, (at at time zone (select site_time_zone()))::date as day, sum(value)::bigint as value
        from (${happened(sql, startOf(sql, from), startOf(sql, until))}) h group by 2`,
    ),
  )

const sumDays = (sql: Db, series: Series[], from: string, until: string) =>
  sql<DaySum[]>`${sums(sql, series, from, until)}`

const findToday = async (sql: Db): Promise<string> =>
  (await sql<[{ day: string }]>`select site_day() as day`)[0].day

const listDays = (sql: Db, names: string[], from: string, to: string) => sql<DaySum[]>`
  select series, day, value from daily_statistics
  where series = any(${names}::text[]) and day between ${from}::date and ${to}::date`

const listProgress = (sql: Db) => sql<Row<'statistic_series', 'series' | 'counted_until'>[]>`
  select series, counted_until from statistic_series`

/**
 * Removes the days from `day` on, which were counted while the clock of the database was ahead. They would keep
 * the values of a day that had not ended.
 */
const removeDaysFrom = (sql: Db, day: string) => sql`
  with moved as (
    update statistic_series set counted_until = ${day}::date where counted_until > ${day}::date returning series
  )
  delete from daily_statistics where day >= ${day}::date and series in (select series from moved)`

const beginSeries = (sql: Db, names: string[], day: string) => sql`
  insert into statistic_series (series, counted_until) select name, ${day}::date from unnest(${names}::text[]) as name
  on conflict do nothing`

/** Counts the days of each series once, even when several processes run concurrently. */
async function countDays(sql: Db, series: Series[], from: string, until: string): Promise<void> {
  await sql`
    with moved as (
      update statistic_series set counted_until = ${until}::date
      where series = any(${series.map(({ name }) => name)}::text[]) and counted_until = ${from}::date
      returning series
    )
    insert into daily_statistics (series, day, value)
    select series, day, value from (${sums(sql, series, from, until)}) s where series in (select series from moved)
    on conflict do nothing`
}

const WaitingQueue = Shared('WaitingQueue', {
  name: Type.String(),
  count: Type.Integer({ description: 'At most 10000' }),
  more: Type.Boolean({ description: 'True when more items wait than count' }),
  oldest_at: Nullable(Time),
})

export const WaitingQueues = Shared('WaitingQueues', { data: Type.Array(WaitingQueue) })
export type WaitingQueues = Static<typeof WaitingQueues>

const Day = (options: object = {}) =>
  Type.Optional(Text(10, { pattern: '^\\d{4}-\\d{2}-\\d{2}$', ...options }))

export const DaysQuery = Type.Object({
  from: Day({ description: 'YYYY-MM-DD, in the time zone of the site' }),
  to: Day({ description: 'YYYY-MM-DD, in the time zone of the site' }),
  series: Type.Optional(
    TextList(50, 50, { description: 'Names of series; by default all that the viewer may see' }),
  ),
})
export type DaysQuery = Static<typeof DaysQuery>

const DailySeries = Shared('DailySeries', {
  name: Type.String(),
  values: Type.Array(Nullable(Type.Integer()), {
    description: 'One value per day; null when not counted yet',
  }),
  total: Nullable(
    Type.Integer({
      description:
        'Sum of all days. For active-people the number of distinct users, which is known only for periods that end today',
    }),
  ),
})

export const DailyStatistics = Shared('DailyStatistics', {
  days: Type.Array(Type.String()),
  series: Type.Array(DailySeries),
})
export type DailyStatistics = Static<typeof DailyStatistics>

const DAY_MS = 86_400_000
const DAYS_MAX = 366
const BEGINNING = '2010-01-01'
const CHUNK = 31
const LIVE_MS = 60_000
/** Days for which the active people are kept, so that days can be counted again. */
const KEPT_DAYS = 4

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const daysLater = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS)

async function seenBy<T extends { ability: string }>(ctx: Context, viewerId: number, all: T[]): Promise<T[]> {
  const seen = await Promise.all(all.map(({ ability }) => hasAbility(ctx, viewerId, ability as Ability)))
  return all.filter((_, index) => seen[index])
}

export type MergedStatistics = { queues: Queue[]; series: Series[] }

/** Merges the modules' statistics. Throws at startup when two statistics share a name. */
export function mergeStatistics(areas: Statistics[]): MergedStatistics {
  const counted = {
    queues: areas.flatMap(({ queues = [] }) => queues),
    series: [...areas.flatMap(({ series = [] }) => series), activeSeries],
  }
  for (const list of [counted.queues, counted.series]) {
    const names = list.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) throw new Error(`Two modules share the statistics name ${twice}`)
  }
  return counted
}

export async function readWaiting(
  ctx: Context,
  { queues }: MergedStatistics,
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

type LiveSums = { today: string; rows: DaySum[] }

/** Caches sums of today and yesterday, because the console reads them on every visit. */
const liveSums = cacheCostly(LIVE_MS, async (ctx: Context, series: Series[]): Promise<LiveSums> => {
  const today = await findToday(ctx.sql)
  return { today, rows: await sumDays(ctx.sql, series, daysLater(today, -1), daysLater(today, 1)) }
})

const activeSince = cacheCostly(LIVE_MS, (ctx: Context, from: string) => countActiveSince(ctx.sql, from))

export async function measureStatistics(ctx: Context, { queues, series }: MergedStatistics) {
  const [waiting, { today, rows }] = await Promise.all([countWaiting(ctx.sql, queues), liveSums(ctx, series)])
  return {
    waiting: waiting.map(({ name, count, seconds }) => ({ name, count, seconds: seconds ?? 0 })),
    today: series.map(({ name }) => ({
      name,
      value: rows.find((row) => row.series === name && row.day === today)?.value ?? 0,
    })),
  }
}

function checkDay(field: 'from' | 'to', day: string): string {
  if (!isTime(day)) throw invalidField(field, { en: 'This day does not exist.', zh: '日期无效。' })
  return day
}

export async function readDays(
  ctx: Context,
  { series: all }: MergedStatistics,
  viewerId: number,
  query: DaysQuery,
): Promise<DailyStatistics> {
  const [seen, { today, rows: live }] = await Promise.all([seenBy(ctx, viewerId, all), liveSums(ctx, all)])
  const to = checkDay('to', query.to ?? today)
  const from = checkDay('from', query.from ?? daysLater(to, -29))
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (length < 1 || length > DAYS_MAX)
    throw invalidField('from', {
      en: `The period must have 1 to ${DAYS_MAX} days.`,
      zh: `时间范围须为 1 到 ${DAYS_MAX} 天。`,
    })
  const wanted = query.series ? seen.filter(({ name }) => query.series?.includes(name)) : seen
  const names = wanted.map(({ name }) => name)
  const [stored, progress] = await Promise.all([listDays(ctx.sql, names, from, to), listProgress(ctx.sql)])
  const countedUntil = new Map(progress.map((row) => [row.series, row.counted_until]))
  const sums = (rows: readonly DaySum[]) =>
    new Map(rows.map((row) => [`${row.series} ${row.day}`, row.value]))
  const [kept, now] = [sums(stored), sums(live)]
  const sumOf = (name: string, day: string): number | null => {
    if (day < (countedUntil.get(name) ?? BEGINNING)) return kept.get(`${name} ${day}`) ?? 0
    return day >= daysLater(today, -1) && day <= today ? (now.get(`${name} ${day}`) ?? 0) : null
  }
  const days = Array.from({ length }, (_, index) => daysLater(from, index))
  const totalOf = (name: string, values: (number | null)[]) => {
    if (name === activeSeries.name) return to >= today ? activeSince(ctx, from) : null
    return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  }
  const series = names.map(async (name) => {
    const values = days.map((day) => sumOf(name, day))
    return { name, values, total: await totalOf(name, values) }
  })
  return { days, series: await Promise.all(series) }
}

/** Counts finished days in chunks, so that an interrupted run resumes after the last finished chunk. */
export async function sumFinishedDays(
  ctx: Context,
  { series }: MergedStatistics,
  signal: AbortSignal,
): Promise<void> {
  // The clock of a node may be ahead, and days are counted only once.
  const end = await findToday(ctx.sql)
  await removeDaysFrom(ctx.sql, end)
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
  await tidyActivePeople(ctx, daysLater(end, -KEPT_DAYS))
}
