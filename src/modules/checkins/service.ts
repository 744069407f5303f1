import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { type Currency, movementsClause, PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import {
  addCheckin,
  noBlockBetween,
  UserView,
  userPage,
  userRecount,
  withEnabledUser,
} from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Shared, type Static, Type } from '#platform/http'
import { readCheckinSettings } from './settings.ts'

export const checkinsDisabled = apiError(
  403,
  'checkin_off',
  'Check-ins are disabled on this site.',
  '本站未开放签到功能。',
)
export const noReward = apiError(
  403,
  'checkin_without_reward',
  'No check-in reward is configured.',
  '本站尚未设置签到奖励。',
)
export const checkedInAlready = apiError(
  403,
  'checked_in_already',
  'You have already checked in today.',
  '今日已签到。',
)

export const CheckinState = Shared('CheckinState', {
  rank_users: Type.Array(UserView, { description: 'First five users of today' }),
  checked_in: Type.Boolean({ description: 'Today in the time zone of the site (`site:time-zone`)' }),
  checkin_count: Type.Integer(),
  last_checkin_count: Type.Integer({ description: 'Length of the last streak in days' }),
  attach_balance: Type.Integer({ description: 'Reward of a check-in, in points' }),
})
export type CheckinState = Static<typeof CheckinState>

const CHECKINS = 'checkin-logs'

const FIRST = 5

/**
 * Inserts and pays a check-in in one statement, so that the unique key of user and day prevents a second
 * payment. Returns false if the user has already checked in today.
 */
async function insertCheckin(
  sql: Db,
  { userId, currency, amount }: { userId: number; currency: Currency; amount: number },
): Promise<boolean> {
  const [row] = await sql<[{ made: boolean }]>`
    with made as (
      insert into checkin_logs (user_id, day, currency, amount)
      values (${userId}, site_day(), ${currency}, ${amount})
      on conflict (user_id, day) do nothing
      returning id, day, amount
    ),
    counted as (
      ${addCheckin(
        sql,
        sql`
          select ${userId}::bigint as user_id, exists (
            select from checkin_logs l where l.user_id = ${userId} and l.day = m.day - 1
          ) as goes_on from made m`,
      )}
    ),
    moves as materialized (
      select 0 as n, ${currency}::text as currency, ${PLATFORM_ACCOUNTS.issuance}::bigint as from_id,
        ${userId}::bigint as to_id, amount, 'checkin' as kind, ${CHECKINS}::text as subject_type, id as subject_id,
        null::text as title, null::text as body
      from made
    ),
    ${movementsClause(sql)}
    select exists (select from made) as made`
  return row.made
}

export type CheckinCounts = {
  checked_in: boolean
  checkin_count: number
  last_checkin_count: number
  first: number[]
}

async function findCheckins(sql: Db, userId: number): Promise<CheckinCounts> {
  const [row] = await sql<[CheckinCounts]>`
    select c.checkin_count, c.last_checkin_count,
      coalesce((select true from checkin_logs l where l.user_id = ${userId} and l.day = site_day()), false)
        as checked_in,
      array(
        select l.user_id from checkin_logs l ${withEnabledUser(sql, sql`l.user_id`)}
        where l.day = site_day() ${noBlockBetween(sql, userId, sql`l.user_id`)} order by l.id limit ${FIRST}
      ) as first
    from user_counts c where c.user_id = ${userId}`
  return row
}

export async function requireCheckins(ctx: Context): Promise<number> {
  const settings = await readCheckinSettings(ctx)
  if (!settings['checkin:switch']) throw checkinsDisabled()
  return settings['checkin:balance']
}

export async function readCheckins(ctx: Context, userId: number): Promise<CheckinState> {
  const attach_balance = await requireCheckins(ctx)
  const { first, ...counts } = await findCheckins(ctx.sql, userId)
  return { rank_users: await userPage(ctx, first, userId), ...counts, attach_balance }
}

export async function checkIn(sql: Db, userId: number, currency: Currency, amount: number): Promise<void> {
  if (amount === 0) throw noReward()
  if (!(await insertCheckin(sql, { userId, currency, amount }))) throw checkedInAlready()
}

export const checkinCounters: CounterCheck[] = [
  userRecount(
    'checkin_count',
    (sql) => sql`select user_id as key, count(*) as n from checkin_logs group by 1`,
  ),
]

/** Finds check-ins whose payments differ from their reward, and payments without a check-in. */
export const checkinChecks: CounterCheck[] = [
  unrepairable(
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
