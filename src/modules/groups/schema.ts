import { UserView } from '#modules/accounts/index.ts'
import { Id, Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'

export const MODES = ['public', 'private', 'paid'] as const
export type Mode = (typeof MODES)[number]

/** From the lowest rank to the highest. */
export const ROLES = ['member', 'administrator', 'founder'] as const
export type Role = (typeof ROLES)[number]

/** The rank of a role; 0 is nobody. */
export const rankOf = (role: Role | undefined) => (role === undefined ? 0 : ROLES.indexOf(role) + 1)

/** What escrow holds the fee of a request to join for. */
export const REQUESTS = 'group-member-logs'

export const GroupParams = Type.Object({ group: Id })

/** A person in a circle (R §20.2.1). */
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

export const MemberView = Shared('GroupMember', { ...MemberRecord.properties, user: Nullable(UserView) })
export type MemberView = Static<typeof MemberView>
