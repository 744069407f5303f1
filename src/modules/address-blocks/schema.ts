import { Flag, Id, Int, listingQuery, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'

/** A network blocked from writing. */
export const AddressBlock = Shared('AddressBlock', {
  id: Type.Integer(),
  network: Type.String(),
  reason: Type.String(),
  in_force: Type.Boolean(),
  ends_at: Nullable(Time),
  created_by: Type.Integer(),
  created_at: Time,
})
export type AddressBlock = Static<typeof AddressBlock>

/** A new block. Without `hours` it never expires. */
export const AddressBlockInput = Shared('NewAddressBlock', {
  network: Text(60, { minLength: 1, description: 'An address, or a network such as 192.0.2.0/24' }),
  reason: Text(500, { minLength: 1, description: 'For administrators alone' }),
  hours: Type.Optional(Int(1, 87_600)),
  own_address: Type.Optional(Flag()),
})
export type AddressBlockInput = Static<typeof AddressBlockInput>

/** Filters blocks: `q` matches a part of the network or the reason. */
export const AddressBlockQuery = Type.Object({
  ...listingQuery(['id']),
  in_force: Type.Optional(Flag()),
})
export type AddressBlockQuery = Static<typeof AddressBlockQuery>

export const AddressBlockParams = Type.Object({ block: Id })
