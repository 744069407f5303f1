import { listingQuery, OneOf, Shared, type Static, Text, TextList, Time, Type } from '#platform/http'

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

/** Filters roles by a part of the name. */
export const RoleQuery = Type.Object(listingQuery(['id', 'name']))
export type RoleQuery = Static<typeof RoleQuery>

/** A new role. `abilities` replaces the whole set. */
export const RoleInput = Shared('NewRole', {
  name: Text(100),
  display_name: Type.Optional(Text(100, { 'x-empty': true })),
  description: Type.Optional(Text(500, { 'x-empty': true })),
  abilities: Type.Optional(TextList(200, 100)),
})
export type RoleInput = Static<typeof RoleInput>

/** Filters abilities by a part of the name, and sorts by name. */
export const AbilityQuery = Type.Object({
  ...listingQuery(['name']),
  after: Type.Optional(Text(100, { 'x-key': 'name' })),
  order: Type.Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
})
export type AbilityQuery = Static<typeof AbilityQuery>

export const AbilityParams = Type.Object({ ability: Text(100) })

/** The labels of an ability. Routes check its name, which never changes. */
export const AbilityChanges = Shared('AbilityChanges', {
  display_name: Type.Optional(Text(100)),
  description: Type.Optional(Text(500, { 'x-empty': true })),
})
export type AbilityChanges = Static<typeof AbilityChanges>
