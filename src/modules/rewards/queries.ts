import { carryOut, unmendable } from '#modules/ledger/index.ts'
import type { CounterCheck, Drift } from '#platform/counters.ts'
import type { Db } from '#platform/database.ts'
import type { Thing } from '#platform/things.ts'
import type { RewardQuery, RewardSum } from './schema.ts'

export type RewardRow = {
  id: number
  user_id: number
  target_user: number
  amount: number
  rewardable_type: string
  rewardable_id: number
  created_at: string
}

/** Writes a reward and pays it, in one statement. Undefined when the thing is gone. */
export async function insertReward(
  sql: Db,
  thing: Thing,
  reward: { thingId: number; from: number; to: number; amount: number },
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    with target as materialized (${thing.live(sql, reward.thingId)} for share),
    made as (
      insert into rewards (rewardable_type, rewardable_id, user_id, target_user, amount)
      select ${thing.type}, id, ${reward.from}::bigint, ${reward.to}::bigint, ${reward.amount}::bigint from target
      returning id, user_id, target_user, amount
    ),
    moves as materialized (
      select 0 as n, 'points' as currency, user_id as from_id, target_user as to_id, amount, 'reward' as kind,
        'rewards' as subject_type, id as subject_id, null::text as title, null::text as body
      from made
    ),
    ${carryOut(sql)}
    select id from made`
  return row?.id
}

/** A page of the rewards of a thing. */
export const listRewards = (sql: Db, type: string, thingId: number, query: RewardQuery) => {
  const { limit = 15, offset = 0, order = 'desc', order_type = 'date', since = 0 } = query
  const key = order_type === 'amount' ? sql`amount` : sql`id`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const past = order === 'asc' ? sql`and ${key} > ${since}` : sql`and ${key} < ${since}`
  return sql<RewardRow[]>`
    select id, user_id, target_user, amount, rewardable_type, rewardable_id, created_at from rewards
    where rewardable_type = ${type} and rewardable_id = ${thingId} ${since > 0 ? past : sql``}
    order by ${key} ${direction}, id ${direction} limit ${limit} offset ${offset}`
}

/** What each of these things was given; those without a reward are absent. */
export async function sumRewards(sql: Db, type: string, thingIds: number[]): Promise<Map<number, RewardSum>> {
  if (thingIds.length === 0) return new Map()
  const rows = await sql<{ id: number; count: number; amount: number }[]>`
    select rewardable_id as id, count(*)::int as count, sum(amount)::bigint as amount from rewards
    where rewardable_type = ${type} and rewardable_id = any(${thingIds}) group by rewardable_id`
  return new Map(rows.map(({ id, count, amount }) => [id, { count, amount }]))
}

/** Rewards that were paid otherwise than they say. */
const findRewardDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, r.amount as kept, coalesce(p.total, 0)::bigint as counted
  from rewards r left join (
    select owner_id, subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'rewards' group by owner_id, subject_id
  ) p on p.subject_id = r.id and p.owner_id = r.target_user
  where r.amount <> coalesce(p.total, 0) order by r.id limit 100`

/** What the audit of the ledger checks of rewards. */
export const rewardChecks: CounterCheck[] = [unmendable('rewards.paid', findRewardDrift)]
