import { MAX_AMOUNT } from '#lib/money.ts'
import { Listing, listingQuery } from '#platform/listing.ts'
import { Id, Int, Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

export const UserParams = Type.Object({ user: Id })

/** A negative amount takes away. */
export const Adjustment = Shared('BalanceAdjustment', {
  amount: Int(-MAX_AMOUNT, MAX_AMOUNT),
  reason: Text(255, { minLength: 1 }),
})

/** What a person owns after an adjustment. */
export const Balance = Shared('Balance', { balance: Type.Integer() })

export const PostingQuery = Type.Object({
  ...listingQuery(['id', 'amount'] as const),
  kind: Type.Optional(Text(50)),
})
export type PostingQuery = Static<typeof PostingQuery>

/** A posting of a person's account. */
export const Posting = Shared('Posting', {
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

export const PostingListing = Shared('PostingListing', {
  ...Listing(Posting).properties,
  balance: Type.Integer(),
})
