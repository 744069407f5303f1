import { UserView } from '#modules/accounts/index.ts'
import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/http'

/** Access modes of a group (groups-7, groups-16). */
export const MODES = ['public', 'private', 'paid'] as const
export type Mode = (typeof MODES)[number]

/** Roles from lowest to highest rank. */
export const ROLES = ['member', 'administrator', 'founder'] as const
export type Role = (typeof ROLES)[number]

/** Removes duplicate roles. The schema admits no other texts. */
export const rolesOf = (roles: string[]): Role[] =>
  [...new Set(roles)].flatMap((role) => ROLES.filter((known) => known === role))

/** Rank of a role. 0 without a role. */
export const rankOf = (role: Role | undefined) => (role === undefined ? 0 : ROLES.indexOf(role) + 1)

/** A member of a group, or a pending request. */
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

/** A member with the user. The user is null for a closed account. */
export const MemberView = Shared('GroupMember', { ...MemberRecord.properties, user: Nullable(UserView) })
export type MemberView = Static<typeof MemberView>
