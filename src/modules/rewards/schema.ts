import { UserView } from '#modules/accounts/index.ts'
import { Amount } from '#modules/ledger/index.ts'
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
} from '#platform/schema.ts'

/** `password`: while the site asks for it when paying. */
export const RewardBody = Shared('NewReward', { amount: Amount, password: Type.Optional(RawText(128)) })
export type RewardBody = Static<typeof RewardBody>

/**
 * `since` is the id of the last reward, or its amount where they are ordered by amount; `after` is its id. `type` is the name of
 * `order_type` where answers are rewarded (money-16).
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

/** A reward with who gave it (money-16). */
export const Reward = Shared('Reward', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  amount: Type.Integer(),
  rewardable_type: Type.String(),
  rewardable_id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
})

/** How many rewards something was given, and how much in all; null when none. */
export const RewardSum = Shared('RewardSum', { count: Type.Integer(), amount: Nullable(Type.Integer()) })
export type RewardSum = Static<typeof RewardSum>
export type Reward = Static<typeof Reward>
