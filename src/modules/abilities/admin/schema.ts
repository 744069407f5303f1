import { listingQuery } from '#platform/listing.ts'
import { OneOf, Shared, type Static, Text, TextList, Time, Type } from '#platform/schema.ts'

/** A role with the names of its abilities. Fixed roles cannot be deleted. */
export const RoleView = Shared('Role', {
  id: Type.Integer(),
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  fixed: Type.Boolean(),
  abilities: Type.Array(Type.String()),
  created_at: Time,
  updated_at: Time,
})

/** Roles by a part of their name. */
export const RoleQuery = Type.Object(listingQuery(['id', 'name']))
export type RoleQuery = Static<typeof RoleQuery>

/** A role as it is given; `abilities` replaces the whole set. */
export const RoleInput = Shared('NewRole', {
  name: Text(100),
  display_name: Type.Optional(Text(100, { 'x-empty': true })),
  description: Type.Optional(Text(500, { 'x-empty': true })),
  abilities: Type.Optional(TextList(200, 100)),
})
export type RoleInput = Static<typeof RoleInput>

/** Abilities by a part of their name, in the order of names. */
export const AbilityQuery = Type.Object({
  ...listingQuery(['name']),
  after: Type.Optional(Text(100, { 'x-key': 'name' })),
  order: Type.Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
})
export type AbilityQuery = Static<typeof AbilityQuery>

export const AbilityParams = Type.Object({ ability: Text(100) })

/** How an ability is called; its name is what routes check. */
export const AbilityChanges = Shared('AbilityChanges', {
  display_name: Type.Optional(Text(100)),
  description: Type.Optional(Text(500, { 'x-empty': true })),
})
export type AbilityChanges = Static<typeof AbilityChanges>
