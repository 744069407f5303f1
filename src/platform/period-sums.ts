import type { CounterCheck, Drift } from '#platform/counters.ts'
import { type Db, type Fragment, type Sql, type Tx, transaction } from '#platform/database.ts'
import { PERIODS, type Period, startOf } from '#platform/periods.ts'

/**
 * What people are ranked by in a period, such as the likes of their feeds. Sums are kept; with every change that counts a
 * row is added (`noteChange`), and who asks for a ranking puts these into the sums and takes out what has become too old.
 */
export type PeriodSums = {
  /** Such as `feed-likes`. */
  ranking: string
  /** What there is of each person: `user_id`, `n`, made from one time on and before another where that is given. */
  counted(sql: Db, from: Fragment, before?: Fragment): Fragment
}

/** A person's place in a ranking. */
type Place = { user_id: number; count: number }

type Window = { period: Period; since: string | null; start: string; is_stale: boolean }

/** What is older than the longest period, with time to spare, is in no sum and need not be noted. */
const NOTED = '32 days'

/** Notes what changed, as a further common table or a statement: `rows` selects `user_id`, `made_at` and `by`. */
export const noteChange = (sql: Db, ranking: string, rows: Fragment): Fragment => sql`
  insert into period_sum_changes (ranking, user_id, made_at, by)
  select ${ranking}, user_id, made_at, by from (${rows}) changes
  where by <> 0 and made_at > now() - ${NOTED}::interval`

/** Has sums added up anew: for whoever writes in bulk what is counted. All rankings where none is named. */
export const forgetSums = (sql: Db, ranking: string | null = null) => sql`
  update period_sum_windows set since = null where ${ranking}::text is null or ranking = ${ranking}`

const STARTS = (sql: Db) => sql`
  select * from (values ('day', date_trunc('day', clock_timestamp())), ('week', clock_timestamp() - interval '7 days'),
    ('month', clock_timestamp() - interval '30 days')) as s (period, start)`

/**
 * The windows of a ranking. One that has not been moved for a day, or begins with another day, is stale: it is added up
 * anew, which is less work than taking out so much.
 */
const readWindows = (sql: Db, ranking: string, lock: Fragment = sql``) => sql<Window[]>`
  select w.period, w.since, greatest(s.start, w.since) as start,
    w.since is null or w.since < s.start - case w.period when 'day' then interval '0' else interval '1 day' end as is_stale
  from period_sum_windows w join (${STARTS(sql)}) s on s.period = w.period
  where w.ranking = ${ranking} order by w.period ${lock}`

/** Whether there is little to do: of a day that has just begun there is not much to add up. */
const isReady = (windows: Window[]) =>
  windows.length === PERIODS.length &&
  windows.every(({ period, since, is_stale }) => !is_stale || (period === 'day' && since !== null))

/** The windows, held until the transaction ends: who comes meanwhile finds the changes in the sums. */
async function holdWindows(tx: Tx, ranking: string): Promise<Window[]> {
  const read = () => readWindows(tx, ranking, tx`for no key update of w`)
  const windows = await read()
  if (windows.length === PERIODS.length) return windows
  await tx`
    insert into period_sum_windows (ranking, period)
    select ${ranking}, p from unnest(${[...PERIODS]}::text[]) as p order by p on conflict do nothing`
  return read()
}

/** Brings the sums up to now. All of it is seen at one moment: what is counted, what was noted, and what has become too old. */
async function bringUpToNow(tx: Tx, { ranking, counted }: PeriodSums, windows: Window[]): Promise<void> {
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

/** Brings the sums up to now, or adds them up anew: for a job, since the latter takes a while where there is much. */
export const settleSums = (sql: Sql, sums: PeriodSums): Promise<void> =>
  transaction(sql, async (tx) => bringUpToNow(tx, sums, await holdWindows(tx, sums.ranking)))

type Ranked = { enabled: (sql: Db, column: Fragment) => Fragment; limit: number }

/**
 * Who got most in a period. `enabled` joins people of the column that it gets, so that disabled accounts are left out.
 * While there are no sums, after an upgrade or an import, all of the period is added up, until the job was there.
 */
export async function rankBySums(
  sql: Sql,
  sums: PeriodSums,
  period: Period,
  { enabled, limit }: Ranked,
): Promise<Place[]> {
  const { ranking, counted } = sums
  // Looked at without a lock: whoever holds it while stale sums are added up may take long.
  const places = isReady(await readWindows(sql, ranking))
    ? await transaction(sql, async (tx) => {
        const windows = await holdWindows(tx, ranking)
        if (!isReady(windows)) return undefined
        await bringUpToNow(tx, sums, windows)
        return tx<Place[]>`
          select s.user_id, s.total as count from period_sums s ${enabled(tx, tx`s.user_id`)}
          where s.ranking = ${ranking} and s.period = ${period}
          order by s.total desc, s.user_id limit ${limit}`
      })
    : undefined
  return (
    places ??
    (await sql<Place[]>`
      select c.user_id, sum(c.n)::bigint as count from (${counted(sql, startOf(sql, period))}) c
      ${enabled(sql, sql`c.user_id`)}
      group by c.user_id order by count desc, c.user_id limit ${limit}`)
  )
}

/** The recount of the sums with what was noted since; mending has them added up anew. */
export function sumsRecount({ ranking, counted }: PeriodSums): CounterCheck {
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
      if (wrong > 0) await forgetSums(sql, ranking)
      return wrong
    },
  }
}
