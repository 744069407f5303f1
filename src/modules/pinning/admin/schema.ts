import {
  Id,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Time,
  type TProperties,
  Type,
} from '#platform/http'
import { PIN_STATES } from '../schema.ts'

export const AdminPinParams = Type.Object({ pinned: Id })

/** Each kind of pins adds a filter named after its content. */
export const AdminPinQuery = Type.Object({
  ...listingQuery(['id', 'amount', 'expires_at'] as const),
  state: Type.Optional(OneOf(PIN_STATES)),
  user: Type.Optional(Id),
})
export type AdminPinQuery = Static<typeof AdminPinQuery>

const fields = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Who asked' }),
  user: Shared('PinApplicant', { id: Type.Integer(), name: Type.String() }),
  amount: Type.Integer({ description: 'Points for all days together' }),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}
export type AdminPin = Static<ReturnType<typeof Type.Object<typeof fields>>>

/** A pin in the administration. Each kind adds its content. */
export const AdminPin = (title: string, shown: TProperties) => Shared(title, { ...fields, ...shown })

export const PinDecision = Shared('PinDecision', { action: OneOf(['accept', 'reject'] as const) })
