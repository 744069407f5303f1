import { listingQuery } from '#platform/listing.ts'
import { Flag, Id, Int, Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** A network from which nothing is taken. */
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

/** Without `hours` it lasts until somebody removes it. */
export const AddressBlockInput = Shared('NewAddressBlock', {
  network: Text(60, { minLength: 1, description: 'An address, or a network such as 192.0.2.0/24' }),
  reason: Text(500, { minLength: 1, description: 'For administrators alone' }),
  hours: Type.Optional(Int(1, 87_600)),
  own_address: Type.Optional(Flag()),
})
export type AddressBlockInput = Static<typeof AddressBlockInput>

/** `q` finds a part of the network or of the reason. */
export const AddressBlockQuery = Type.Object({
  ...listingQuery(['id']),
  in_force: Type.Optional(Flag()),
})
export type AddressBlockQuery = Static<typeof AddressBlockQuery>

export const AddressBlockParams = Type.Object({ block: Id })
