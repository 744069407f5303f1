import { UserView } from '#modules/users/index.ts'
import {
  Cursor,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  OneOf,
  RawText,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
  WithAlias,
} from '#platform/http'
import { Group, MemberRecord, ROLES } from '../schema.ts'

export const REQUESTS = 'group-member-logs'

export const MemberParams = Type.Object({ group: Id, member: Id })

/** Types of member lists that every user may read. Other types are for managers (groups-13). */
export const OPEN_MEMBER_TYPES: readonly string[] = ['all', 'manager', 'member']

export const MembersQuery = Type.Object({
  type: Type.Optional(
    OneOf(['all', 'manager', 'member', 'blacklist', 'audit', 'audit_user'], { default: 'all' }),
  ),
  name: Type.Optional(Text(100)),
  q: WithAlias('name', Type.Optional(Text(100))),
  after: Cursor,
  limit: Limit(),
})
export type MembersQuery = Static<typeof MembersQuery>

export const RoleCounts = Shared('GroupRoleCounts', {
  member_count: Type.Integer(),
  admin_count: Type.Integer(),
})

export const JoinDecision = Shared('JoinDecision', {
  status: Int(1, 2, { description: '1 accepts, 2 rejects' }),
})

export const JoinBody = Shared('JoinGroup', { password: Type.Optional(RawText(128)) })

export const PostPermissions = Shared('GroupPermissions', {
  permissions: TextList(3, 20, { minItems: 1, items: { type: 'string', enum: ROLES } }),
})
export const Handover = Shared('GroupHandover', { target: Id })

export const RequestsQuery = Type.Object({
  group_ids: Type.Optional(IdList()),
  after: Cursor,
  limit: Limit(),
})
export type RequestsQuery = Static<typeof RequestsQuery>

export const JoinRequest = Shared('JoinRequest', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  member_id: Type.Integer(),
  status: Type.Integer({ description: '0 pending, 1 accepted, 2 rejected, 3 cancelled' }),
  auditer: Nullable(Type.Integer()),
  audit_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  audit_user: Nullable(UserView),
  group: Nullable(Group),
  member_info: Nullable(MemberRecord),
})
export type JoinRequest = Static<typeof JoinRequest>
