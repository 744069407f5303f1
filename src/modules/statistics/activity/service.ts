import { LRUCache } from 'lru-cache'
import { defineBufferedCounts } from '#platform/buffered-counts.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import type { Viewer } from '#platform/http.ts'
import type { Series } from '#platform/statistics.ts'
import { forgetPeople, notePeople } from './queries.ts'

const DAY_MS = 86_400_000
const BATCH = 5000

const buffered = defineBufferedCounts('active people', notePeople)
/** Who was noted today, so that a person costs one row a day and not one for each request. Forgetting one is harmless. */
const noted = new WeakMap<object, LRUCache<number, number>>()

/** Notes that somebody made a request today. */
export function noteActive(ctx: Context, viewer: Viewer | null): void {
  if (!viewer) return
  let known = noted.get(ctx.sql)
  if (!known) {
    known = new LRUCache({ max: 100_000 })
    noted.set(ctx.sql, known)
  }
  const today = Math.floor(Date.now() / DAY_MS)
  if (known.get(viewer.id) === today) return
  known.set(viewer.id, today)
  buffered(ctx).add([viewer.id])
}

/** People who were there, by day. */
export const activeSeries: Series = {
  name: 'active-people',
  ability: 'admin:user:show',
  happened: (sql, from, until) => sql`
    select day::timestamptz as at, 1 as value from active_people
    where day >= ${from}::date and day < ${until}::date`,
}

/** Forgets who was there on days that are counted. */
export async function tidyActivePeople({ sql }: Context, before: string): Promise<void> {
  while ((await forgetPeople(sql, before, BATCH)) === BATCH);
}

/**
 * Has days counted anew, after rows of the past came or went. Who was there is forgotten once it is counted: what was counted
 * of days before `since` (a date) stays.
 */
export async function forgetDays(sql: Db, since: string): Promise<void> {
  await sql`delete from statistic_series`
  await sql`delete from daily_statistics where series <> ${activeSeries.name} or day >= ${since}::date`
}
