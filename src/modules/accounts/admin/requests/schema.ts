import { listingQuery } from '#platform/listing.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

const STATES = ['waiting', 'accepted', 'rejected'] as const

/** Somebody who asked to join. E-mail and phone are those of the account, which a refusal deletes. */
export const RegistrationRequest = Shared('RegistrationRequest', {
  id: Type.Integer(),
  user_id: Nullable(Type.Integer()),
  name: Type.String(),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  introduction: Nullable(Type.String()),
  inviter_id: Nullable(Type.Integer()),
  state: OneOf(STATES),
  remark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})
export type RegistrationRequest = Static<typeof RegistrationRequest>

/** Requests by state; those that wait and the oldest first unless asked otherwise. `q` is a part of the name. */
export const RegistrationRequestQuery = Type.Object({
  ...listingQuery(['id']),
  order: Type.Optional(OneOf(['asc', 'desc'] as const, { default: 'asc' })),
  state: Type.Optional(OneOf(STATES, { default: 'waiting' })),
})
export type RegistrationRequestQuery = Static<typeof RegistrationRequestQuery>

export const RegistrationRequestParams = Type.Object({ registration: Id })

/** What an administrator decides, and the reason that the person is told. */
export const RegistrationDecision = Shared('RegistrationDecision', {
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})
