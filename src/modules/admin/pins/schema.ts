import { PIN_STATES } from '#modules/pinning/index.ts'
import { Id, Nullable, OneOf, type Static, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const PinParams = Type.Object({ pinned: Id })

/** Each kind of pins has a filter of its own besides, named after the thing. */
export const PinQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'expires_at'] as const),
  state: Type.Optional(OneOf(PIN_STATES)),
  user: Type.Optional(Id),
})
export type PinQuery = Static<typeof PinQuery>

/** A pin; `amount` is the points for all its days together. Each kind shows its thing besides. */
export const AdminPin = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  user: Type.Object({ id: Type.Integer(), name: Type.String() }),
  amount: Type.Integer(),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
})
export type AdminPin = Static<typeof AdminPin>

export const PinDecision = Type.Object({ action: OneOf(['accept', 'reject'] as const) })
