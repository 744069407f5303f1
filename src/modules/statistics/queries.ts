import type { Queue, Series } from '#contracts/statistics.ts'
import type { Db, Fragment, Row } from '#platform/database'

/** Upper limit of the count, because counting more is slow and useless. */
export const WAITING_MAX = 10_000

const unionOf = (sql: Db, parts: Fragment[]): Fragment =>
  parts.reduce((all, part) => sql`${all} union all ${part}`)

/** Counts each queue with the age of its oldest entry, in one statement. */
export const countWaiting = (sql: Db, queues: Queue[]) => {
  const parts = queues.map(
    ({ name, waiting }) => sql`
      select ${name}::text as name, count(*)::int as count, min(since) as oldest_at
      from (${waiting(sql)} limit ${WAITING_MAX + 1}) w`,
  )
  return sql<{ name: string; count: number; oldest_at: string | null }[]>`${unionOf(sql, parts)}`
}

export type DaySum = Row<'daily_statistics', 'series' | 'day' | 'value'>

/** Sums of series by day. Days without data are absent. */
const sums = (sql: Db, series: Series[], from: string, until: string): Fragment =>
  unionOf(
    sql,
    series.map(
      ({ name, happened }) => sql`
        select ${name}::text as series, at::date as day, sum(value)::bigint as value
        from (${happened(sql, from, until)}) h group by 2`,
    ),
  )

/** Current sums by day. */
export const sumDays = (sql: Db, series: Series[], from: string, until: string) =>
  sql<DaySum[]>`${sums(sql, series, from, until)}`

/** Lists stored sums of finished days. */
export const listDays = (sql: Db, names: string[], from: string, to: string) => sql<DaySum[]>`
  select series, day, value from daily_statistics
  where series = any(${names}::text[]) and day between ${from}::date and ${to}::date`

/** Lists the last counted day of each series. */
export const listProgress = (sql: Db) => sql<Row<'statistic_series', 'series' | 'counted_until'>[]>`
  select series, counted_until from statistic_series`

/** Inserts new series with a day before any possible data. */
export const beginSeries = (sql: Db, names: string[], day: string) => sql`
  insert into statistic_series (series, counted_until) select name, ${day}::date from unnest(${names}::text[]) as name
  on conflict do nothing`

/** Counts finished days of series that were counted up to `from`, once. */
export async function countDays(sql: Db, series: Series[], from: string, until: string): Promise<void> {
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
