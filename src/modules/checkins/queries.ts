import { countCheckin, withEnabledUser } from '#modules/accounts/index.ts'
import { type Currency, carryOut, PLATFORM } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database.ts'

/** What the ledger calls check-ins. */
export const CHECKINS = 'checkin-logs'

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
        select l.user_id from checkin_logs l ${withEnabledUser(sql, sql`l.user_id`)}
        where l.day = ${today(sql)} order by l.id limit ${FIRST}
      ) as first
    from user_counts c where c.user_id = ${userId}`
  return row
}
