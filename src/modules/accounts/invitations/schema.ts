import { apiError, fieldError } from '#platform/errors.ts'
import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'

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
  'This invitation does not exist.',
  '邀请码不存在。',
)

export const InvitationCode = Text(32, { description: 'of an invitation, where newcomers need one' })

export const Invitation = Shared('SiteInvitation', {
  id: Type.Integer(),
  code: Type.String(),
  max_uses: Type.Integer({ description: 'how many newcomers may come by it' }),
  uses: Type.Integer({ description: 'how many came' }),
  note: Nullable(Type.String()),
  ended: Type.Boolean({ description: 'ended by somebody, used up or expired' }),
  expires_at: Time,
  created_at: Time,
})
export type Invitation = Static<typeof Invitation>

/** A new invitation. Defaults are the maximum that the creator may give. */
export const NewInvitation = Shared('NewSiteInvitation', {
  max_uses: Type.Optional(Int(1, 1000)),
  days: Type.Optional(Int(1, 365, { description: 'how long it is good' })),
  note: Type.Optional(Text(100)),
})
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationParams = Type.Object({ invitation: Id })

/** Pagination of invitations or invited users. `after` is the last id of the former page. */
export const InvitationQuery = Type.Object({ limit: Limit(), after: Cursor })
export type InvitationQuery = Static<typeof InvitationQuery>
