import { apiError, invalidField } from '#platform/errors.ts'

export const noSuchGroup = apiError(404, 'no_such_im_group', 'This group does not exist.', '该群组不存在。')
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
  '只有群主可以添加该群组的成员。',
)

export const unknownMember = (field: string, id: number) =>
  invalidField(field, { en: `There is no user ${id}.`, zh: `用户 ${id} 不存在。` }, 'unknown_user')

export const tooManyMembers = (field: string, limit: number) =>
  invalidField(
    field,
    {
      en: `A group of this size holds ${limit} members, its owner included.`,
      zh: `该群组最多容纳 ${limit} 名成员（含群主）。`,
    },
    'im_group_full',
  )

export const ownerStays = () =>
  invalidField(
    'members',
    {
      en: 'The owner cannot be removed; hand the group over first.',
      zh: '不能移除群主，请先转让群组。',
    },
    'im_owner_stays',
  )
