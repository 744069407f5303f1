import { apiError, type DeclaredError, fieldError, invalidField, type Text } from '#platform/errors.ts'

export const noSuchImGroup = apiError(404, 'no_such_im_group', 'This group does not exist.', '该群组不存在。')
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
export const ownerStays = fieldError(
  'members',
  'im_owner_stays',
  'The owner cannot be removed; hand the group over first.',
  '不能移除群主，请先转让群组。',
)

/** A 422 error with the field and the number known only at run time. */
function numbered(code: string, textOf: (number: number | string) => Text) {
  const make = (field: string, number: number) => invalidField(field, textOf(number), code)
  return Object.assign(make, { status: 422, code, text: textOf('…') } satisfies DeclaredError)
}

export const unknownMember = numbered('unknown_user', (id) => ({
  en: `There is no user ${id}.`,
  zh: `用户 ${id} 不存在。`,
}))
export const tooManyMembers = numbered('im_group_full', (limit) => ({
  en: `A group of this size holds ${limit} members, its owner included.`,
  zh: `该群组最多容纳 ${limit} 名成员（含群主）。`,
}))
