import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchGroup = apiError(404, 'no_such_group', 'This group does not exist.', '圈子不存在。')
export const noSuchCategory = apiError(
  404,
  'no_such_group_category',
  'This category of groups does not exist.',
  '圈子分类不存在。',
)
export const noSuchMember = apiError(
  404,
  'no_such_group_member',
  'This member of the group does not exist.',
  '圈子成员不存在。',
)
export const noSuchPost = apiError(404, 'no_such_group_post', 'This post does not exist.', '帖子不存在。')

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
  '该成员的级别不低于你，你不能执行此操作。',
)
export const memberPending = apiError(
  403,
  'group_member_pending',
  'This person has not been accepted into the group yet.',
  '该成员尚未通过审核。',
)
export const notAudited = apiError(
  403,
  'group_not_passed',
  'This group has not been approved yet.',
  '该圈子尚未通过审核。',
)

export const unknownCategory = fieldError(
  'category_id',
  'no_such_group_category',
  'This category does not exist.',
  '圈子分类不存在。',
)
export const formCutShort = fieldError('avatar', 'form_broken', 'The form is incomplete.', '表单内容不完整。')
export const notCertified = apiError(
  422,
  'group_needs_certification',
  'You need a certification to create a group.',
  '需要通过认证才能创建圈子。',
)
export const placeIncomplete = fieldError(
  'location',
  'validation_failed',
  'Send location, longitude, latitude and geo_hash together, or none of them.',
  '地点、经度、纬度和位置编码（geo_hash）须同时提供。',
)
export const moneyRequired = fieldError(
  'money',
  'validation_failed',
  'A paid group needs a price.',
  '收费圈子必须设置入圈费用。',
)
export const noSuchTag = fieldError('tags', 'validation_failed', 'This tag does not exist.', '标签不存在。')

export const joinedAlready = apiError(
  422,
  'joined_already',
  'You are already in this group, or have asked to join it.',
  '你已加入该圈子或正在等待审核。',
)
export const cannotPay = apiError(
  422,
  'not_enough',
  'Your balance does not cover the joining fee.',
  '余额不足，无法支付入圈费用。',
)
export const founderStays = apiError(
  403,
  'founder_stays',
  'The founder must transfer the group before leaving it.',
  '圈主须先转让圈子，才能退出。',
)
export const requestHandled = apiError(
  403,
  'join_request_handled',
  'This request has already been handled.',
  '该申请已处理。',
)
export const tooManyAdministrators = apiError(
  422,
  'too_many_administrators',
  'A group can have at most five administrators.',
  '一个圈子最多五名管理员。',
)
export const notAdministrator = apiError(
  403,
  'not_an_administrator',
  'This member is not an administrator.',
  '该成员不是管理员。',
)
export const applicantsWait = apiError(
  422,
  'join_requests_waiting',
  'Handle the pending requests to join first.',
  '请先处理待审核的入圈申请。',
)
export const notEligible = apiError(
  422,
  'not_an_active_member',
  'The group can only be transferred to one of its members.',
  '圈子只能转让给圈内成员。',
)

export const roleMayNotPost = apiError(
  422,
  'role_may_not_post',
  'Your role may not post in this group.',
  '你的角色没有在该圈子发帖的权限。',
)
export const imagesRequired = fieldError(
  'images',
  'validation_failed',
  'A post without a summary needs a picture.',
  '摘要为空时必须上传图片。',
)
export const feedFromRequired = fieldError(
  'feed_from',
  'validation_failed',
  'The feed_from field is required with sync_feed.',
  '同步到动态时，动态来源（feed_from）不能为空。',
)
export const noFeedCopies = fieldError(
  'sync_feed',
  'validation_failed',
  'This group does not allow copying posts to feeds.',
  '该圈子不允许将帖子同步到动态。',
)

export const WRITER_ERRORS = [noSuchGroup, notAudited, notMember, memberDisabled, roleMayNotPost] as const
export const MEMBER_ERRORS = [noSuchGroup, noSuchMember, notManager, memberPending, rankTooLow] as const
export const FOUNDER_ERRORS = [noSuchGroup, noSuchMember, notFounder, memberPending, rankTooLow] as const
