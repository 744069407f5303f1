import { type Db, type Fragment, type Sql, type Tx, transaction } from '#platform/database'
import type { CounterCheck, Drift } from './counters.ts'

/** A day starts at midnight in the site's time zone. A week is the last 7 days, and a month the last 30. */
export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

export const periodStart = (sql: Db, period: Period): Fragment =>
  ({
    day: sql`site_day_start()`,
    week: sql`now() - interval '7 days'`,
    month: sql`now() - interval '30 days'`,
  })[period]

/**
 * Ranks users by sums over a period, such as likes of their feeds. Transactions record changes. A reader adds
 * the changes to stored sums and subtracts expired rows.
 */
export type PeriodSums = {
  ranking: string
  /** Selects `user_id` and `n` of rows created from `from` on and, if given, before `before`. */
  counted(sql: Db, from: Fragment, before?: Fragment): Fragment
}

export type RankedRow = { user_id: number; count: number }

type Window = { period: Period; since: string | null; start: string; is_stale: boolean }

/**
 * Maximum age of a row whose change is recorded. Exceeds the longest period, so that older rows cannot affect
 * any sum.
 */
const NOTED = '32 days'

export const recordPeriodChange = (sql: Db, ranking: string, rows: Fragment): Fragment => sql`
  insert into period_sum_changes (ranking, user_id, made_at, by)
  select ${ranking}, user_id, made_at, by from (${rows}) changes
  where by <> 0 and made_at > now() - ${NOTED}::interval`

export const invalidatePeriodSums = (sql: Db, ranking: string | null = null) => sql`
  update period_sum_windows set since = null where ${ranking}::text is null or ranking = ${ranking}`

const STARTS = (sql: Db) => sql`
  select * from (values ('day', site_day_start()), ('week', clock_timestamp() - interval '7 days'),
    ('month', clock_timestamp() - interval '30 days')) as s (period, start)`

/**
 * Windows of the week and the month are stale when they start more than a day before the period, because a
 * recount is then cheaper than subtracting expired rows. The window of the day is stale after midnight and
 * after a change of the site's time zone.
 */
const readWindows = (sql: Db, ranking: string, lock: Fragment = sql``) => sql<Window[]>`
  select w.period, w.since, case w.period when 'day' then s.start else greatest(s.start, w.since) end as start,
    w.since is null or case w.period when 'day' then w.since <> s.start else w.since < s.start - interval '1 day' end
      as is_stale
  from period_sum_windows w join (${STARTS(sql)}) s on s.period = w.period
  where w.ranking = ${ranking} order by w.period ${lock}`

const isReady = (windows: Window[]) =>
  windows.length === PERIODS.length &&
  windows.every(({ period, since, is_stale }) => !is_stale || (period === 'day' && since !== null))

/** Locks the windows until the end of the transaction, so that two updates cannot count a change twice. */
async function lockWindows(tx: Tx, ranking: string): Promise<Window[]> {
  const read = () => readWindows(tx, ranking, tx`for no key update of w`)
  const windows = await read()
  if (windows.length === PERIODS.length) return windows
  await tx`
    insert into period_sum_windows (ranking, period)
    select ${ranking}, p from unnest(${[...PERIODS]}::text[]) as p order by p on conflict do nothing`
  return read()
}

/**
 * Reads the counted rows, the recorded changes and the expired rows in one snapshot, so that no row is counted
 * twice.
 */
async function updateSums(tx: Tx, { ranking, counted }: PeriodSums, windows: Window[]): Promise<void> {
  const stale = windows.filter(({ is_stale }) => is_stale).map(({ period }) => period)
  if (stale.length > 0) {
    await tx.unsafe("set local statement_timeout = '10min'")
    await tx`delete from period_sums where ranking = ${ranking} and period = any(${stale})`
  }
  const parts = windows.map(({ period, since, start, is_stale }) => {
    const [from, until] = [tx`${since}::timestamptz`, tx`${start}::timestamptz`]
    return is_stale
      ? tx`select ${period}::text as period, user_id, n from (${counted(tx, until)}) c`
      : tx`
        select ${period}::text as period, user_id, by as n from taken where made_at >= ${from}
        union all
        select ${period}::text, user_id, -n from (${counted(tx, from, until)}) c`
  })
  const all = parts.reduce((some, part) => tx`${some} union all ${part}`)
  await tx`
    with taken as (
      delete from period_sum_changes where ranking = ${ranking} returning user_id, made_at, by
    ),
    moved as (
      update period_sum_windows w set since = s.start
      from unnest(${windows.map(({ period }) => period)}::text[], ${windows.map(({ start }) => start)}::timestamptz[])
        as s (period, start)
      where w.ranking = ${ranking} and w.period = s.period
    )
    insert into period_sums as kept (ranking, period, user_id, total)
    select ${ranking}, period, user_id, sum(n) from (${all}) changes
    group by period, user_id having sum(n) <> 0 order by period, user_id
    on conflict (ranking, period, user_id) do update set total = kept.total + excluded.total`
  await tx`delete from period_sums where ranking = ${ranking} and period = any(${[...PERIODS]}) and total <= 0`
}

export const updatePeriodSums = (sql: Sql, sums: PeriodSums): Promise<void> =>
  transaction(sql, async (tx) => updateSums(tx, sums, await lockWindows(tx, sums.ranking)))

type Ranked = { enabled: (sql: Db, column: Fragment) => Fragment; limit: number }

/**
 * `enabled` returns a join on a user id column that excludes disabled accounts. Scans the whole period when no
 * current sums exist, such as after an import.
 */
export async function rankByPeriodSums(
  sql: Sql,
  sums: PeriodSums,
  period: Period,
  { enabled, limit }: Ranked,
): Promise<RankedRow[]> {
  const { ranking, counted } = sums
  // Reads the windows without a lock first. Otherwise the request would wait for a recount that holds the
  // lock for long.
  const places = isReady(await readWindows(sql, ranking))
    ? await transaction(sql, async (tx) => {
        const windows = await lockWindows(tx, ranking)
        if (!isReady(windows)) return undefined
        await updateSums(tx, sums, windows)
        return tx<RankedRow[]>`
          select s.user_id, s.total as count from period_sums s ${enabled(tx, tx`s.user_id`)}
          where s.ranking = ${ranking} and s.period = ${period}
          order by s.total desc, s.user_id limit ${limit}`
      })
    : undefined
  return (
    places ??
    (await sql<RankedRow[]>`
      select c.user_id, sum(c.n)::bigint as count from (${counted(sql, periodStart(sql, period))}) c
      ${enabled(sql, sql`c.user_id`)}
      group by c.user_id order by count desc, c.user_id limit ${limit}`)
  )
}

export function periodSumsRecount({ ranking, counted }: PeriodSums): CounterCheck {
  const drift = (sql: Db, period: Period) => {
    const since = sql`(select since from period_sum_windows where ranking = ${ranking} and period = ${period})`
    return sql`
      select ${period}::text || ' ' || user_id as key, sum(kept)::bigint as kept, sum(n)::bigint as counted
      from (
        select user_id, total as kept, 0 as n from period_sums where ranking = ${ranking} and period = ${period}
        union all
        select user_id, by, 0 from period_sum_changes where ranking = ${ranking} and made_at >= ${since}
        union all
        select user_id, 0, n from (${counted(sql, since)}) c
      ) each
      where ${since} is not null
      group by user_id having sum(kept) <> sum(n)`
  }
  const all = (sql: Db) =>
    PERIODS.map((period) => drift(sql, period)).reduce((some, part) => sql`${some} union all ${part}`)
  return {
    name: `period_sums.${ranking}`,
    async find(sql) {
      return [...(await sql<Drift[]>`select * from (${all(sql)}) d order by key limit 100`)]
    },
    async mend(sql) {
      const [{ wrong }] = await sql<[{ wrong: number }]>`select count(*)::int as wrong from (${all(sql)}) d`
      if (wrong > 0) await invalidatePeriodSums(sql, ranking)
      return wrong
    },
  }
}
