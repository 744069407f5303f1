import { type Content, type Counts, countsOf } from '#contracts/content.ts'
import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { movementsClause, PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  type Fragment,
  limitClause,
  type Row,
  sortDirection,
} from '#platform/database'
import type { RewardQuery, RewardSum } from './schema.ts'

export type RewardRow = Row<
  'rewards',
  'id' | 'user_id' | 'target_user' | 'amount' | 'rewardable_type' | 'rewardable_id' | 'created_at'
>

export type NewReward = { contentId: number; from: number; to: number; amount: number; hidden: boolean }

/**
 * Inserts a reward and pays it, in one statement. Returns undefined when the content or its owner is gone. A
 * payment to a hidden owner passes through escrow, so that neither order names the other party.
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
            ? sql`values (0, m.user_id, ${PLATFORM_ACCOUNTS.escrow}::bigint), (1, ${PLATFORM_ACCOUNTS.escrow}::bigint, m.target_user)`
            : sql`values (0, m.user_id, m.target_user)`
        }
      ) as s (n, from_id, to_id)
    ),
    ${movementsClause(sql)} ${countsOf(sql, count)}
    select id from made`
  return row?.id
}

/** Lists the rewards of a piece of content, paged. */
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
    where rewardable_type = ${type} and rewardable_id = ${contentId} ${andAfterCursor(sql, key, since, order)}
      ${andAfterRow(sql, after, sql`${key}, id`, sql`select ${key}, id from rewards where id = ${after ?? 0}`, order)}
    order by ${key} ${sortDirection(sql, order)}, id ${sortDirection(sql, order)} ${limitClause(sql, { limit, offset, after })}`
}

/** Sums the rewards of each piece of content. Content without rewards is absent. */
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

/** The sum of the rewards of the content in a column, as a subquery. */
export const rewardSum = (sql: Db, type: string, contentId: Fragment): Fragment => sql`(
  select json_build_object('count', count(*), 'amount', sum(r.amount)) from rewards r
  where r.rewardable_type = ${type} and r.rewardable_id = ${contentId})`

/** Filters content down to that rewarded by a user. Empty for a guest. */
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

type Counter = { table: string; key: string; column: string }

/** Counter checks of a content module's reward counters: number and total amount. */
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

/** Rewards with a payment that differs from their amount. */
const findRewardDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, r.amount as kept, coalesce(p.total, 0)::bigint as counted
  from rewards r left join (
    select owner_id, subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'rewards' group by owner_id, subject_id
  ) p on p.subject_id = r.id and p.owner_id = r.target_user
  where r.amount <> coalesce(p.total, 0) and not r.settled_before order by r.id limit 100`

/** Ledger audit checks of rewards. */
export const rewardChecks: CounterCheck[] = [unrepairable('rewards.paid', findRewardDrift)]
