import { carryOut, PLATFORM, unmendable } from '#modules/ledger/index.ts'
import { type Content, type Counts, countsOf } from '#platform/content.ts'
import { type CounterCheck, type Drift, recount } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'
import type { Flag } from '#platform/pages/overlay.ts'
import { andPast, andPastRow, directionOf, partOf } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import type { RewardQuery, RewardSum } from './schema.ts'

export type RewardRow = Row<
  'rewards',
  'id' | 'user_id' | 'target_user' | 'amount' | 'rewardable_type' | 'rewardable_id' | 'created_at'
>

export type NewReward = { contentId: number; from: number; to: number; amount: number; hidden: boolean }

/**
 * Writes a reward and pays it, in one statement. Undefined when the content or its owner is gone. To an owner who may not
 * be known it is paid through escrow, so that neither side's order names the other.
 */
export async function insertReward(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  reward: NewReward,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    with target as materialized (
      ${content.live(sql, reward.contentId)} ${count ? sql`for no key update` : sql`for share`}
    ),
    made as (
      insert into rewards (rewardable_type, rewardable_id, user_id, target_user, amount)
      select ${content.type}, id, ${reward.from}::bigint, ${reward.to}::bigint, ${reward.amount}::bigint from target
      where exists (select from users u where u.id = ${reward.to} and u.deleted_at is null)
      returning id, user_id, target_user, amount, rewardable_id
    ),
    changed (id, by) as (select rewardable_id, amount from made),
    moves as materialized (
      select s.n, 'points' as currency, s.from_id, s.to_id, m.amount, 'reward' as kind,
        'rewards' as subject_type, m.id as subject_id, null::text as title, null::text as body
      from made m cross join lateral (
        ${
          reward.hidden
            ? sql`values (0, m.user_id, ${PLATFORM.escrow}::bigint), (1, ${PLATFORM.escrow}::bigint, m.target_user)`
            : sql`values (0, m.user_id, m.target_user)`
        }
      ) as s (n, from_id, to_id)
    ),
    ${carryOut(sql)} ${countsOf(sql, count)}
    select id from made`
  return row?.id
}

/** A page of the rewards of some content. */
export const listRewards = (sql: Db, type: string, contentId: number, query: RewardQuery) => {
  const {
    limit = 15,
    offset,
    after,
    order = 'desc',
    order_type = 'date',
    type: by = 'time',
    since = 0,
  } = query
  const key = order_type === 'amount' || by === 'amount' ? sql`amount` : sql`id`
  return sql<RewardRow[]>`
    select id, user_id, target_user, amount, rewardable_type, rewardable_id, created_at from rewards
    where rewardable_type = ${type} and rewardable_id = ${contentId} ${andPast(sql, key, since, order)}
      ${andPastRow(sql, after, sql`${key}, id`, sql`select ${key}, id from rewards where id = ${after ?? 0}`, order)}
    order by ${key} ${directionOf(sql, order)}, id ${directionOf(sql, order)} ${partOf(sql, { limit, offset, after })}`
}

/** What each piece of this content was given; those without a reward are absent. */
export async function sumRewards(
  sql: Db,
  type: string,
  contentIds: number[],
): Promise<Map<number, RewardSum>> {
  if (contentIds.length === 0) return new Map()
  const rows = await sql<{ id: number; count: number; amount: number }[]>`
    select rewardable_id as id, count(*)::int as count, sum(amount)::bigint as amount from rewards
    where rewardable_type = ${type} and rewardable_id = any(${contentIds}) group by rewardable_id`
  return new Map(rows.map(({ id, count, amount }) => [id, { count, amount }]))
}

/** Which of this content a person rewarded; nothing for a guest. */
export async function findRewarded(
  sql: Db,
  type: string,
  contentIds: number[],
  userId: number,
): Promise<Set<number>> {
  if (userId === 0 || contentIds.length === 0) return new Set()
  const rows = await sql<{ rewardable_id: number }[]>`
    select asked.id as rewardable_id from unnest(${contentIds}::bigint[]) as asked (id)
    where exists (
      select from rewards r
      where r.user_id = ${userId} and r.rewardable_type = ${type} and r.rewardable_id = asked.id offset 0
    )`
  return new Set(rows.map((row) => row.rewardable_id))
}

/** The flag of content of a kind that the viewer has rewarded. */
export const isRewardedBy =
  (type: string): Flag =>
  (sql, viewer, id) =>
    sql`
    coalesce((
      select true from rewards r
      where r.user_id = ${viewer} and r.rewardable_type = ${type} and r.rewardable_id = ${id} limit 1
    ), false)`

type Counter = { table: string; key: string; column: string }

/** The recount of a content module's own counters of rewards: how many there are, and how much in all. */
export const rewardRecounts = (
  type: string,
  counters: { count: Counter; amount: Counter },
): CounterCheck[] => [
  recount({
    ...counters.count,
    counted: (sql) => sql`
      select rewardable_id as key, count(*) as n from rewards where rewardable_type = ${type} group by 1`,
  }),
  recount({
    ...counters.amount,
    counted: (sql) => sql`
      select rewardable_id as key, sum(amount)::bigint as n from rewards where rewardable_type = ${type} group by 1`,
  }),
]

/** Rewards that were paid otherwise than they say. */
const findRewardDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, r.amount as kept, coalesce(p.total, 0)::bigint as counted
  from rewards r left join (
    select owner_id, subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'rewards' group by owner_id, subject_id
  ) p on p.subject_id = r.id and p.owner_id = r.target_user
  where r.amount <> coalesce(p.total, 0) and not r.settled_before order by r.id limit 100`

/** What the audit of the ledger checks of rewards. */
export const rewardChecks: CounterCheck[] = [unmendable('rewards.paid', findRewardDrift)]
