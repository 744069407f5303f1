import { LRUCache } from 'lru-cache'
import type { Series } from '#contracts/statistics.ts'
import { isTimeZone } from '#lib/time.ts'
import { readSiteSettings } from '#modules/settings/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Db } from '#platform/database'
import type { Viewer } from '#platform/http'
import { defineBufferedCounts } from '#platform/memory'

const insertActivity = (sql: Db, ids: number[]) => sql`
  with noted as (
    insert into active_people (day, user_id) select site_day(), id from unnest(${ids}::bigint[]) as id
    on conflict do nothing
  )
  insert into last_active_days as l (user_id, last_day) select id, site_day() from unnest(${ids}::bigint[]) as id
  on conflict (user_id) do update set last_day = excluded.last_day where l.last_day < excluded.last_day`

/**
 * Counts the distinct users active since the day `from`. Null if an upgraded site began to record activity on a
 * later day.
 */
export async function countActiveSince(sql: Db, from: string): Promise<number | null> {
  const [row] = await sql<[{ people: number | null }]>`
    select case when m.recorded = m.first or m.recorded <= ${from}::date
      then (select count(*)::int from last_active_days where last_day >= ${from}::date) end as people
    from (
      select (min(applied_at) at time zone z.zone)::date as first,
        (max(applied_at) filter (where name like '0177%') at time zone z.zone)::date as recorded
      from schema_migrations cross join (select site_time_zone() as zone) z group by z.zone
    ) m`
  return row.people
}

async function deleteActivityBefore(sql: Db, before: string, limit: number): Promise<number> {
  const gone = await sql`
    delete from active_people where (day, user_id) in (
      select day, user_id from active_people where day < ${before}::date order by day, user_id limit ${limit})`
  return gone.count
}

const QUARTER_MS = 900_000
const BATCH = 5000

const buffered = defineBufferedCounts('active people', insertActivity)
/** Day on which this process last recorded a user, so that only the user's first request of a day writes a row. */
const recordedDays = defineState(() => new LRUCache<number, string>({ max: 100_000 }))

/** The day in the time zone of the site. Computed once in a quarter of an hour, because days begin at one. */
const siteDay = defineState(() => ({ quarter: 0, day: '' }))

function dayOfSite(ctx: Context): string {
  const known = siteDay(ctx)
  const quarter = Math.floor(Date.now() / QUARTER_MS)
  if (known.quarter === quarter) return known.day
  const now = Temporal.Instant.fromEpochMilliseconds(Date.now())
  Object.assign(known, { quarter, day: now.toZonedDateTimeISO('UTC').toPlainDate().toString() })
  void readSiteSettings(ctx).then(
    ({ 'site:time-zone': zone }) => {
      known.day = now
        .toZonedDateTimeISO(isTimeZone(zone) ? zone : 'UTC')
        .toPlainDate()
        .toString()
    },
    () => {},
  )
  return known.day
}

export function recordActivity(ctx: Context, viewer: Viewer | null): void {
  if (!viewer) return
  const known = recordedDays(ctx)
  const today = dayOfSite(ctx)
  if (known.get(viewer.id) === today) return
  known.set(viewer.id, today)
  buffered(ctx).add([viewer.id])
}

export const activeSeries: Series = {
  name: 'active-people',
  ability: 'admin:user:show',
  happened: (sql, from, until) => sql`
    select day::timestamp at time zone (select site_time_zone()) as at, 1 as value from active_people
    where day >= (select (${from} at time zone site_time_zone())::date)
      and day < (select (${until} at time zone site_time_zone())::date)`,
}

export async function tidyActivePeople({ sql }: Context, before: string): Promise<void> {
  while ((await deleteActivityBefore(sql, before, BATCH)) === BATCH);
}

/**
 * Makes the next job recount the statistics of past days, for example after an import. Keeps counts of active
 * users before `since`, because their activity rows no longer exist.
 */
export async function discardDayCounts(sql: Db, since: string): Promise<void> {
  await sql`delete from statistic_series`
  await sql`delete from daily_statistics where series <> ${activeSeries.name} or day >= ${since}::date`
}
