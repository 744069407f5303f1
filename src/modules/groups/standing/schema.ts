import { UserView } from '#modules/accounts/index.ts'
import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'

/** Who may read and join a group (groups-7, groups-16). */
export const MODES = ['public', 'private', 'paid'] as const
export type Mode = (typeof MODES)[number]

/** From the lowest rank to the highest. */
export const ROLES = ['member', 'administrator', 'founder'] as const
export type Role = (typeof ROLES)[number]

/** Each of the roles once; their schema lets no other text pass. */
export const rolesOf = (roles: string[]): Role[] =>
  [...new Set(roles)].flatMap((role) => ROLES.filter((known) => known === role))

/** The rank of a role; 0 is nobody. */
export const rankOf = (role: Role | undefined) => (role === undefined ? 0 : ROLES.indexOf(role) + 1)

/** A person in a group, or who asked to be. */
export const MemberRecord = Shared('GroupMemberRecord', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  audit: Type.Integer({ description: '0 asked to join, 1 is a member' }),
  role: OneOf(ROLES),
  disabled: Type.Integer({ description: '1: on the blacklist' }),
  created_at: Time,
  updated_at: Time,
})
export type MemberRecord = Static<typeof MemberRecord>

/** The same with the person; null for a closed account. */
export const MemberView = Shared('GroupMember', { ...MemberRecord.properties, user: Nullable(UserView) })
export type MemberView = Static<typeof MemberView>
