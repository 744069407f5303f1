import { UserWithUrls } from '#modules/users/index.ts'
import {
  apiError,
  type DeclaredError,
  type Text as ErrorText,
  fieldError,
  invalidField,
} from '#platform/errors.ts'
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
} from '#platform/http'

export const noSuchImGroup = apiError(404, 'no_such_im_group', 'This group does not exist.', '该群聊不存在。')
export const notOwner = apiError(
  403,
  'not_im_group_owner',
  'Only the owner may do this.',
  '只有群主可以执行此操作。',
)
export const mayNotInvite = apiError(
  403,
  'im_invites_not_allowed',
  'Only the owner may add members to this group.',
  '只有群主可以添加群成员。',
)
export const ownerStays = fieldError(
  'members',
  'im_owner_stays',
  'The owner cannot be removed. Transfer the group first.',
  '不能移除群主，请先转让群聊。',
)

function numbered(code: string, textOf: (number: number | string) => ErrorText) {
  const make = (field: string, number: number) => invalidField(field, textOf(number), code)
  return Object.assign(make, { status: 422, code, text: textOf('…') } satisfies DeclaredError)
}

export const unknownMember = numbered('unknown_user', (id) => ({
  en: `There is no user ${id}.`,
  zh: `用户 ${id} 不存在。`,
}))
export const tooManyMembers = numbered('im_group_full', (limit) => ({
  en: `A group of this size can have at most ${limit} members, including its owner.`,
  zh: `该群聊最多 ${limit} 名成员（含群主）。`,
}))

export const ImGroupsQuery = Type.Object({ im_group_id: TextList(100, 64, { minItems: 1 }) })

const settings = {
  groupname: Text(128, { minLength: 1 }),
  desc: Text(512, { 'x-empty': true }),
  public: Type.Optional(Flag()),
  maxusers: Type.Optional(Int(2, 2000, { default: 200, description: 'Includes the owner' })),
  members_only: Type.Optional(Flag()),
  allowinvites: Type.Optional(Flag()),
}
const Members = IdList(2000)

export const NewImGroup = Shared('NewImGroup', { ...settings, members: Type.Optional(Members) })
export type NewImGroup = Static<typeof NewImGroup>

/** A change resets settings that the request omits to their defaults, except the picture and the owner (im-6). */
export const ImGroupChange = Shared('ImGroupChange', {
  im_group_id: Id,
  ...settings,
  group_face: Type.Optional(
    Int(0, Number.MAX_SAFE_INTEGER, {
      description: 'Id of an upload of mine; 0 leaves the picture unchanged',
    }),
  ),
  new_owner_user: Type.Optional(Int(0, Number.MAX_SAFE_INTEGER)),
})
export type ImGroupChange = Static<typeof ImGroupChange>

export const ImGroupId = Shared('ImGroupId', { im_group_id: Id })

export const ImMemberChange = Shared('ImMemberChange', {
  im_group_id: Id,
  members: IdList(2000, { minItems: 1 }),
})
export type ImMemberChange = Static<typeof ImMemberChange>

export const ImGroupMade = Shared('ImGroupMade', { ...Message.properties, im_group_id: Type.String() })

export const ImGroupChanged = Shared('ImGroupChanged', {
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

export const ImGroupFace = Shared('ImGroupFace', { im_group_id: Type.String(), group_face: Type.Integer() })

const ImGroupMember = Shared('ImGroupMember', {
  ...UserWithUrls.properties,
  is_owner: Type.Integer(),
  certification: Nullable(Type.String({ description: 'Type of the certification' })),
})

export const ImGroup = Shared('ImGroup', {
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
  affiliations: Type.Array(ImGroupMember),
  public: Type.Boolean(),
  group_face: Type.String(),
})
export type ImGroup = Static<typeof ImGroup>

export const BriefImGroup = Shared('BriefImGroup', {
  ...ImGroup.properties,
  affiliations: Type.Array(
    Shared('ImAffiliation', { owner: Type.Optional(Type.String()), member: Type.Optional(Type.String()) }),
  ),
})
export type BriefImGroup = Static<typeof BriefImGroup>
