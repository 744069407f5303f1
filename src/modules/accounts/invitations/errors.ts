import { apiError, fieldError } from '#platform/errors.ts'

export const invitationNeeded = fieldError(
  'invitation_code',
  'invitation_needed',
  'This site is joined by invitation: enter the code of yours.',
  '本站仅限邀请注册，请填写邀请码。',
)
export const invitationNotGood = fieldError(
  'invitation_code',
  'invitation_not_good',
  'This invitation does not exist, is used up or has expired.',
  '邀请码不存在、已用完或已过期。',
)
export const INVITATION_ERRORS = [invitationNeeded, invitationNotGood]

export const mayNotInvite = apiError(
  403,
  'may_not_invite',
  'You cannot make invitations here.',
  '你没有创建邀请码的权限。',
)
export const tooManyInvitations = apiError(
  422,
  'too_many_invitations',
  'You have too many invitations that are still good. End one first.',
  '你的有效邀请码过多，请先停用一个。',
)
export const noSuchInvitation = apiError(
  404,
  'no_such_invitation',
  'There is no such invitation.',
  '邀请码不存在。',
)
