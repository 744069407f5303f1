import { UserView } from '#modules/accounts/index.ts'
import {
  Cursor,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  OneOf,
  RawText,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/schema.ts'
import { Group } from '../circles/schema.ts'
import { MemberRecord, ROLES } from '../schema.ts'

export const MemberParams = Type.Object({ group: Id, member: Id })

export const MEMBER_TYPES = ['all', 'manager', 'member', 'blacklist', 'audit', 'audit_user'] as const
export const MembersQuery = Type.Object({
  type: Type.Optional(OneOf(MEMBER_TYPES, { default: 'all' })),
  name: Type.Optional(Text(100)),
  after: Cursor,
  limit: Limit(),
})
export type MembersQuery = Static<typeof MembersQuery>

export const RoleCounts = Type.Object({ member_count: Type.Integer(), admin_count: Type.Integer() })

/** 1 accepts, 2 rejects. */
export const AuditBody = Type.Object({ status: Int(1, 2) })

/** The payment password, while the site asks for it. */
export const JoinBody = Type.Object({ password: Type.Optional(RawText(128)) })

export const PermissionsBody = Type.Object({
  permissions: TextList(3, 20, { minItems: 1, items: { type: 'string', enum: ROLES } }),
})
export const OwnerBody = Type.Object({ target: Id })

export const RequestsQuery = Type.Object({
  group_ids: Type.Optional(IdList()),
  after: Cursor,
  limit: Limit(),
})
export type RequestsQuery = Static<typeof RequestsQuery>

/** A request to join, and what became of it. */
export const JoinRequest = Type.Object({
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  member_id: Type.Integer(),
  status: Type.Integer({ description: '0 waits, 1 accepted, 2 rejected, 3 taken back' }),
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
