import type { Sql } from '#platform/database.ts'
import type { Traffic } from '#platform/request-times.ts'

/** Adds what one process counted to a minute. */
export const addTraffic = (sql: Sql, at: Date, { requests, faults, times }: Traffic) => sql`
  insert into request_minutes as m (at, requests, faults, times)
  values (${at}, ${requests}, ${faults}, ${times}::integer[])
  on conflict (at) do update set requests = m.requests + excluded.requests, faults = m.faults + excluded.faults,
    times = array(
      select coalesce(a, 0) + coalesce(b, 0) from unnest(m.times, excluded.times) with ordinality as u (a, b, place)
      order by place
    )`

/** Sums since a time, by pieces of so many minutes; pieces without a request are absent. */
export const listTraffic = (sql: Sql, since: Date, minutes: number) => sql<(Traffic & { at: string })[]>`
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

/** Forgets minutes before a time. */
export const forgetTraffic = (sql: Sql, days: number) => sql`
  delete from request_minutes where at < now() - make_interval(days => ${days})`
