import { type Content, type Counts, countsOf, type Target } from '#contracts/content.ts'
import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { wireTime } from '#lib/time.ts'
import { PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import {
  Amount,
  featureOff,
  IN_POINTS,
  mapNotEnough,
  movementsClause,
  PLATFORM_ACCOUNTS,
  unrepairable,
} from '#modules/ledger/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import { findBlockers, isUser, noBlockBetween, UserView, withUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  type Fragment,
  limitClause,
  type Row,
  sortDirection,
  type Tx,
} from '#platform/database'
import { apiError, blocked, notFound } from '#platform/errors.ts'
import {
  Cursor,
  Direction,
  Limit,
  Nullable,
  Offset,
  OneOf,
  RawText,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { readRewardSettings } from './settings.ts'

const ownerGone = apiError(
  422,
  'owner_gone',
  'The author of this content no longer exists.',
  '作者已不存在，无法打赏。',
)
const toOneself = apiError(422, 'reward_oneself', 'You cannot reward yourself.', '不能打赏自己。')

export const REWARD_ERRORS = [...PAYMENT_PASSWORD_ERRORS, featureOff, toOneself, blocked, ownerGone]

export const RewardBody = Shared('NewReward', { amount: Amount, password: Type.Optional(RawText(128)) })
export type RewardBody = Static<typeof RewardBody>

/**
 * `since` is the id of the previous page's last reward or, when sorted by amount, its amount. `order_type` selects
 * the sort key. For the rewards of an answer, clients send `type` instead (money-16).
 */
export const RewardQuery = (standard = 15) =>
  Type.Object({
    limit: Limit(standard),
    type: Type.Optional(OneOf(['time', 'amount'] as const, { default: 'time' })),
    offset: Offset,
    order: Direction,
    order_type: Type.Optional(OneOf(['date', 'amount'] as const, { default: 'date' })),
    since: Cursor,
    after: Cursor,
  })
export type RewardQuery = Static<ReturnType<typeof RewardQuery>>

export const Reward = Shared('Reward', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  amount: Type.Integer(IN_POINTS),
  rewardable_type: Type.String(),
  rewardable_id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
})

export const RewardSum = Shared('RewardSum', {
  count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_POINTS)),
})
export type RewardSum = Static<typeof RewardSum>
export type Reward = Static<typeof Reward>

export type RewardRow = Row<
  'rewards',
  'id' | 'user_id' | 'target_user' | 'amount' | 'rewardable_type' | 'rewardable_id' | 'created_at'
>

type NewReward = { contentId: number; from: number; to: number; amount: number; hidden: boolean }

/**
 * Returns undefined when the content is deleted or its owner is deleted or disabled. Pays hidden owners through
 * escrow, so that neither user's order names the other user.
 */
async function insertReward(
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

export const listRewards = (
  sql: Db,
  type: string,
  contentId: number,
  query: RewardQuery,
  viewerId: number,
) => {
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
      ${noBlockBetween(sql, viewerId, sql`rewards.user_id`)}
      ${andAfterRow(sql, after, sql`${key}, id`, sql`select ${key}, id from rewards where id = ${after ?? 0}`, order)}
    order by ${key} ${sortDirection(sql, order)}, id ${sortDirection(sql, order)} ${limitClause(sql, { limit, offset, after })}`
}

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

export const rewardSum = (sql: Db, type: string, contentId: Fragment): Fragment => sql`(
  select json_build_object('count', count(*), 'amount', sum(r.amount)) from rewards r
  where r.rewardable_type = ${type} and r.rewardable_id = ${contentId})`

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

const findRewardDrift = (sql: Db) => sql<Drift[]>`
  select r.id::text as key, r.amount as kept, coalesce(p.total, 0)::bigint as counted
  from rewards r left join (
    select owner_id, subject_id, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'rewards' group by owner_id, subject_id
  ) p on p.subject_id = r.id and p.owner_id = r.target_user
  where r.amount <> coalesce(p.total, 0) and not r.settled_before order by r.id limit 100`

export const rewardChecks: CounterCheck[] = [unrepairable('rewards.paid', findRewardDrift)]

export async function withGivers(ctx: Context, rows: RewardRow[], viewerId: number): Promise<Reward[]> {
  const shown = rows.map((row) => ({
    ...row,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.created_at),
  }))
  return withUser(ctx, shown, viewerId)
}

export const latestRewards = async (
  ctx: Context,
  { type, contentId, limit, viewerId }: { type: string; contentId: number; limit: number; viewerId: number },
): Promise<Reward[]> =>
  withGivers(ctx, await listRewards(ctx.sql, type, contentId, { limit }, viewerId), viewerId)

export type RewardNotice = SystemType

/**
 * Runs before body validation. Throws when rewards are disabled, or when the owner of the content is the
 * giver or blocks the giver.
 */
export async function admitGiver(
  ctx: Context,
  giverId: number,
  target: Target,
  areOn: () => Promise<boolean>,
): Promise<void> {
  if (!(await readRewardSettings(ctx))['site:reward'] || !(await areOn())) throw featureOff()
  if (target.ownerId === giverId) throw toOneself()
  // Ignores a block by a hidden owner, because an error would reveal the owner.
  if (target.hidden) return
  if ((await findBlockers(ctx.sql, giverId, [target.ownerId])).size > 0) throw blocked()
}

export async function give(
  tx: Tx,
  content: Content,
  target: Target,
  {
    from,
    amount,
    notice,
    count,
    poor,
  }: { from: number; amount: number; notice: RewardNotice; count?: Counts; poor?: () => Error },
): Promise<void> {
  const { id: contentId, ownerId: to, hidden = false, closed = false } = target
  const id = await mapNotEnough(
    insertReward(tx, content, count, { contentId, from, to, amount, hidden }),
    poor,
  )
  if (id === undefined) throw (await isUser(tx, to)) ? notFound() : ownerGone()
  await notify(tx, {
    type: 'system',
    recipients: [to],
    hidesRecipients: hidden || closed,
    senderId: from,
    cause: { type: 'rewards', id },
    data: {
      type: notice,
      amount,
      resource: { type: content.type, id: contentId },
      [content.param]: { id: contentId },
    },
  })
}
