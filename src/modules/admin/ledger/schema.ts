import { MAX_AMOUNT } from '#lib/money.ts'
import { Listing } from '#platform/listing.ts'
import { Id, Int, Nullable, OneOf, type Static, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const UserParams = Type.Object({ user: Id })

/** A negative amount takes away. */
export const Adjustment = Type.Object({
  amount: Int(-MAX_AMOUNT, MAX_AMOUNT),
  reason: Text(255, { minLength: 1 }),
})
export type Adjustment = Static<typeof Adjustment>

export const Balance = Type.Object({ balance: Type.Integer() })

export const LedgerQuery = Type.Object({
  ...listingQuery(['id', 'amount'] as const),
  kind: Type.Optional(Text(50)),
})
export type LedgerQuery = Static<typeof LedgerQuery>

/** A posting of a person's account. */
export const Posting = Type.Object({
  id: Type.Integer(),
  transaction_id: Type.Integer(),
  amount: Type.Integer({ description: 'Negative: what went out' }),
  balance_after: Type.Integer(),
  counterpart: Type.Integer({ description: 'A person, or -1 escrow, -2 income, -3 issuance' }),
  kind: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.Integer(),
  title: Nullable(Type.String()),
  body: Nullable(Type.String()),
  created_at: Time,
})
export type Posting = Static<typeof Posting>

export const PostingListing = Type.Object({ ...Listing(Posting).properties, balance: Type.Integer() })

export const WithdrawalQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'updated_at'] as const),
  state: Type.Optional(OneOf(['pending', 'passed', 'rejected'] as const)),
  currency: Type.Optional(OneOf(['points', 'wallet'] as const)),
  user: Type.Optional(Id),
})
export type WithdrawalQuery = Static<typeof WithdrawalQuery>

const decided = {
  remark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}
const User = Nullable(
  Type.Unsafe<{ id: number; name: string }>({ type: 'object', additionalProperties: true }),
)

export const Withdrawal = Type.Object({
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: User,
  currency: Type.String(),
  amount: Type.Integer(),
  payout: Type.Integer({ description: 'What is paid for it, in fen' }),
  type: Nullable(Type.String()),
  account: Nullable(Type.String()),
  state: Type.String({ description: 'pending, passed or rejected' }),
  ...decided,
})
export type Withdrawal = Static<typeof Withdrawal>
export const WithdrawalListing = Listing(Withdrawal)
export const WithdrawalParams = Type.Object({ withdrawal: Id })

export const WithdrawalDecision = Type.Object({
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})

export const RechargeQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'updated_at'] as const),
  state: Type.Optional(OneOf(['pending', 'confirmed', 'rejected'] as const)),
  currency: Type.Optional(OneOf(['points', 'wallet'] as const)),
  user: Type.Optional(Id),
})
export type RechargeQuery = Static<typeof RechargeQuery>

export const Recharge = Type.Object({
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: User,
  currency: Type.String(),
  provider: Type.String(),
  amount: Type.Integer({ description: 'What is to be paid, in fen' }),
  credited: Type.Integer({ description: 'What is credited for it, in the currency' }),
  state: Type.String({ description: 'pending, confirmed or rejected' }),
  reference: Nullable(Type.String()),
  ...decided,
})
export type Recharge = Static<typeof Recharge>
export const RechargeListing = Listing(Recharge)
export const RechargeParams = Type.Object({ recharge: Id })

/** `reference`: the number of the payment, needed to accept it; each counts once. */
export const RechargeDecision = Type.Object({
  action: OneOf(['accept', 'reject'] as const),
  reference: Type.Optional(Text(255)),
  remark: Type.Optional(Text(255)),
})

const Totals = Type.Object({
  people: Type.Integer(),
  escrow: Type.Integer(),
  income: Type.Integer(),
  issuance: Type.Integer(),
  sum: Type.Integer({ description: 'Always 0 in a sound ledger' }),
})

/** Whether every check holds, what does not, and what the accounts hold. */
export const AuditReport = Type.Object({
  balanced: Type.Boolean(),
  drift: Type.Array(
    Type.Object({
      check: Type.String(),
      key: Type.String(),
      kept: Type.Integer(),
      counted: Type.Integer(),
    }),
  ),
  totals: Type.Object({ points: Totals, wallet: Totals }),
})
