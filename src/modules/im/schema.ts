import { UserWithUrls } from '#modules/accounts/index.ts'
import {
  Flag,
  Id,
  IdList,
  Int,
  Message,
  Nullable,
  Shared,
  type Static,
  Text,
  TextList,
  Type,
} from '#platform/schema.ts'

export const UserIdParams = Type.Object({ user_id: Id })

export const UserIds = Type.Object({ user_ids: IdList(1000, { minItems: 1 }) })

/** What a registration, a new password and an addition of members answer (decisions §1). */
export const Nothing = Type.Unsafe<[]>({ type: 'array', items: {}, maxItems: 0 })

/** `im_pwd_hash` is the password itself; the name is an old one. */
export const Password = Type.Object({ ...Message.properties, im_pwd_hash: Type.String() })

export const GroupsQuery = Type.Object({ im_group_id: TextList(100, 64, { minItems: 1 }) })

const settings = {
  groupname: Text(128, { minLength: 1 }),
  desc: Text(512, { 'x-empty': true }),
  public: Type.Optional(Flag()),
  maxusers: Type.Optional(Int(2, 2000, { default: 200, description: 'With the owner' })),
  members_only: Type.Optional(Flag()),
  allowinvites: Type.Optional(Flag()),
}
const Members = IdList(2000)

export const NewGroup = Type.Object({ ...settings, members: Type.Optional(Members) })
export type NewGroup = Static<typeof NewGroup>

export const GroupChange = Type.Object({
  im_group_id: Id,
  ...settings,
  group_face: Type.Optional(
    Int(0, Number.MAX_SAFE_INTEGER, { description: 'An upload of yours; 0: as before' }),
  ),
  new_owner_user: Type.Optional(Int(0, Number.MAX_SAFE_INTEGER)),
})
export type GroupChange = Static<typeof GroupChange>

export const GroupId = Type.Object({ im_group_id: Id })

export const MemberChange = Type.Object({ im_group_id: Id, members: IdList(2000, { minItems: 1 }) })

export const GroupMade = Type.Object({ ...Message.properties, im_group_id: Type.String() })

/** The group as it is after a change. `newowner` only when the owner changed (R §2). */
export const GroupChanged = Type.Object({
  groupname: Type.String(),
  desc: Type.String(),
  public: Type.Boolean(),
  maxusers: Type.Integer(),
  members_only: Type.Boolean(),
  allowinvites: Type.Boolean(),
  group_face: Type.String(),
  im_group_id: Type.String(),
  newowner: Type.Optional(Type.String()),
})

export const GroupFace = Type.Object({ im_group_id: Type.String(), group_face: Type.Integer() })

/** A member (specification 2.10). */
export const GroupMember = Shared('ImGroupMember', {
  ...UserWithUrls.properties,
  is_owner: Type.Integer(),
  certification: Nullable(Type.String({ description: 'The kind of certified identity' })),
})

/** A group (specification 2.10). */
export const GroupView = Shared('ImGroup', {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  membersonly: Type.Boolean(),
  allowinvites: Type.Boolean(),
  maxusers: Type.Integer(),
  owner: Type.String(),
  created: Type.Integer({ description: 'Milliseconds since the epoch' }),
  custom: Type.String(),
  affiliations_count: Type.Integer(),
  affiliations: Type.Array(GroupMember),
  public: Type.Boolean(),
  group_face: Type.String(),
})
export type GroupView = Static<typeof GroupView>

/** The same with the account names of the members alone: one `owner`, the others `member` (R §2). */
export const BriefGroupView = Type.Object({
  ...GroupView.properties,
  affiliations: Type.Array(
    Type.Object({ owner: Type.Optional(Type.String()), member: Type.Optional(Type.String()) }),
  ),
})
export type BriefGroupView = Static<typeof BriefGroupView>
