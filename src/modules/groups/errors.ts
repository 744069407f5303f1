import { apiError, invalidField } from '#platform/errors.ts'

export const noSuchGroup = apiError(404, 'no_such_group', 'There is no such group.', '圈子不存在。')
export const noSuchCategory = apiError(
  404,
  'no_such_group_category',
  'There is no such category of groups.',
  '圈子分类不存在。',
)
export const noSuchMember = apiError(
  404,
  'no_such_group_member',
  'There is no such member of this group.',
  '圈子成员不存在。',
)
export const noSuchPost = apiError(404, 'no_such_group_post', 'There is no such post.', '帖子不存在。')

export const notMember = apiError(
  403,
  'not_a_group_member',
  'You are not a member of this group.',
  '你不是该圈子的成员。',
)
export const memberDisabled = apiError(
  403,
  'group_member_disabled',
  'You are on the blacklist of this group.',
  '你已被该圈子拉黑。',
)
export const notManager = apiError(
  403,
  'not_a_group_manager',
  'Only the founder and the administrators of the group may do this.',
  '只有圈主和管理员可以执行此操作。',
)
export const notFounder = apiError(
  403,
  'not_the_group_founder',
  'Only the founder of the group may do this.',
  '只有圈主可以执行此操作。',
)
export const rankTooLow = apiError(
  403,
  'group_rank_too_low',
  'This member has the same rank as you or a higher one.',
  '你没有权限操作该成员。',
)
export const memberPending = apiError(
  403,
  'group_member_pending',
  'This person has not been accepted yet.',
  '该成员尚未通过审核。',
)
export const notAudited = apiError(
  403,
  'group_not_passed',
  'This group has not been accepted yet.',
  '该圈子尚未通过审核。',
)

/** 422 on the category of a body. */
export const unknownCategory = () =>
  invalidField(
    'category_id',
    { en: 'There is no such category.', zh: '圈子分类不存在。' },
    'no_such_group_category',
  )
