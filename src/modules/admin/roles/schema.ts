import { AbilityView } from '#modules/abilities/index.ts'
import { Listing } from '#platform/listing.ts'
import { OneOf, Text, TextList, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** A role with the names of its abilities. Fixed roles cannot be deleted. */
export const RoleView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  fixed: Type.Boolean(),
  abilities: Type.Array(Type.String()),
  created_at: Time,
  updated_at: Time,
})

export const RoleListing = Listing(RoleView)
export const RoleQuery = Type.Object(listingQuery(['id', 'name']))

const fields = {
  display_name: Type.Optional(Text(100, { 'x-empty': true })),
  description: Type.Optional(Text(500, { 'x-empty': true })),
  abilities: Type.Optional(TextList(200, 100)),
}

/** The body of POST /admin/roles. */
export const RoleInput = Type.Object({ name: Text(100), ...fields })

/** The body of PATCH /admin/roles/{role}: `abilities` replaces the whole set. */
export const RoleChanges = Type.Object({ name: Type.Optional(Text(100)), ...fields })

export const AbilityListing = Listing(AbilityView)
export const AbilityQuery = Type.Object({
  ...listingQuery(['name']),
  order: Type.Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
})

/** The body of PATCH /admin/abilities/{ability}. */
export const AbilityChanges = Type.Object({
  display_name: Type.Optional(Text(100)),
  description: Type.Optional(Text(500, { 'x-empty': true })),
})
