import { Days, PIN_STATES } from '#modules/pinning/index.ts'
import { Id, Listing, Nullable, OneOf, type Static, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const PinParams = Type.Object({ pinned: Id })

export const PinQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'expires_at'] as const),
  state: Type.Optional(OneOf(PIN_STATES)),
  user: Type.Optional(Id),
  news: Type.Optional(Id),
})
export type PinQuery = Static<typeof PinQuery>

export const AdminPin = Type.Object({
  id: Type.Integer(),
  news_id: Type.Integer(),
  user_id: Type.Integer(),
  user: Type.Unsafe<{ id: number; name: string }>({ type: 'object', additionalProperties: true }),
  title: Nullable(Type.String()),
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
export const PinListing = Listing(AdminPin)

export const NewPin = Type.Object({ news: Id, day: Days })
export const PinDecision = Type.Object({ action: OneOf(['accept', 'reject'] as const) })
