import { PAYMENT_PASSWORD_ERRORS, UserView } from '#modules/accounts/index.ts'
import { Amount, featureOff, IN_POINTS } from '#modules/ledger/index.ts'
import { apiError, blocked } from '#platform/errors.ts'
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

export const ownerGone = apiError(
  422,
  'owner_gone',
  'Who published this is not here any more.',
  '发布者已不存在，不能打赏。',
)
export const toOneself = apiError(422, 'reward_oneself', 'You cannot reward yourself.', '不能打赏自己。')

/** Errors of a reward, except insufficient balance. */
export const REWARD_ERRORS = [...PAYMENT_PASSWORD_ERRORS, featureOff, toOneself, blocked, ownerGone]

/** `password`: payment password, when the site requires one. */
export const RewardBody = Shared('NewReward', { amount: Amount, password: Type.Optional(RawText(128)) })
export type RewardBody = Static<typeof RewardBody>

/**
 * `since` is the id of the last reward, or its amount when sorted by amount; then `after` is its id. `type`
 * is the name of `order_type` for answers (money-16).
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

/** A reward with its giver (money-16). */
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

/** Number and total amount of rewards. The amount is null without rewards. */
export const RewardSum = Shared('RewardSum', {
  count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_POINTS)),
})
export type RewardSum = Static<typeof RewardSum>
export type Reward = Static<typeof Reward>
