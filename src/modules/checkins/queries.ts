import { countCheckin, personRecount } from '#modules/accounts/index.ts'
import { type Currency, carryOut, PLATFORM, unmendable } from '#modules/ledger/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'

/** What the ledger calls check-ins. */
const CHECKINS = 'checkin-logs'

/** How many of those who came first are shown. */
const FIRST = 5

const today = (sql: Db) => sql`(now() at time zone 'UTC')::date`

/**
 * Checks a person in and pays for it, in one statement. The key of the day decides between racing requests. False when
 * it was done today already.
 */
export async function insertCheckin(
  sql: Db,
  { userId, currency, amount }: { userId: number; currency: Currency; amount: number },
): Promise<boolean> {
  const [row] = await sql<[{ made: boolean }]>`
    with made as (
      insert into checkin_logs (user_id, day, currency, amount)
      values (${userId}, ${today(sql)}, ${currency}, ${amount})
      on conflict (user_id, day) do nothing
      returning id, day, amount
    ),
    counted as (
      ${countCheckin(
        sql,
        sql`
          select ${userId}::bigint as user_id, exists (
            select from checkin_logs l where l.user_id = ${userId} and l.day = m.day - 1
          ) as goes_on from made m`,
      )}
    ),
    moves as materialized (
      select 0 as n, ${currency}::text as currency, ${PLATFORM.issuance}::bigint as from_id,
        ${userId}::bigint as to_id, amount, 'checkin' as kind, ${CHECKINS}::text as subject_type, id as subject_id,
        null::text as title, null::text as body
      from made
    ),
    ${carryOut(sql)}
    select exists (select from made) as made`
  return row.made
}

export type CheckinCounts = {
  checked_in: boolean
  checkin_count: number
  last_checkin_count: number
  /** Who came first today. */
  first: number[]
}

/** What a person has done so far, and who came first today. */
export async function findCheckins(sql: Db, userId: number): Promise<CheckinCounts> {
  const [row] = await sql<[CheckinCounts]>`
    select c.checkin_count, c.last_checkin_count,
      coalesce((select true from checkin_logs l where l.user_id = ${userId} and l.day = ${today(sql)}), false)
        as checked_in,
      array(
        select l.user_id from checkin_logs l join users u on u.id = l.user_id and u.deleted_at is null
        where l.day = ${today(sql)} order by l.id limit ${FIRST}
      ) as first
    from user_counts c where c.user_id = ${userId}`
  return row
}

/**
 * People by the number of their check-ins. The original breaks ties by when their counts last changed (R §22), which a
 * like changes too, so that pages would repeat people: here the earlier account comes first.
 */
export async function listCheckinIds(
  sql: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select u.id from user_counts c join users u on u.id = c.user_id and u.deleted_at is null
    where c.checkin_count > 0 order by c.checkin_count desc, c.user_id limit ${limit} offset ${offset}`
  return rows.map(({ id }) => id)
}

/** The counter that check-ins keep. */
export const checkinCounters: CounterCheck[] = [
  personRecount(
    'checkin_count',
    (sql) => sql`select user_id as key, count(*) as n from checkin_logs group by 1`,
  ),
]

/** What the audit of the ledger checks of check-ins: each was paid, once, and nothing else was. */
export const checkinChecks: CounterCheck[] = [
  unmendable(
    'checkin_logs.paid',
    (sql) => sql<Drift[]>`
      select coalesce(l.id, p.id) || ' ' || coalesce(l.currency, p.currency) as key, coalesce(l.amount, 0) as kept,
        coalesce(p.total, 0)::bigint as counted
      from (select * from checkin_logs where not settled_before) l full join (
        select subject_id as id, currency, owner_id, sum(amount) as total from ledger_postings
        where owner_id > 0 and subject_type = ${CHECKINS} group by subject_id, currency, owner_id
      ) p on p.id = l.id and p.currency = l.currency and p.owner_id = l.user_id
      where coalesce(l.amount, 0) <> coalesce(p.total, 0) order by 1 limit 100`,
  ),
]
