import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** The code of an invitation as somebody types it. */
export const InvitationCode = Text(32, { description: 'of an invitation, where newcomers need one' })

/** An invitation as its maker sees it. */
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

/** A new invitation; what is left out is as much as the maker may give. */
export const NewInvitation = Shared('NewSiteInvitation', {
  max_uses: Type.Optional(Int(1, 1000)),
  days: Type.Optional(Int(1, 365, { description: 'how long it is good' })),
  note: Type.Optional(Text(100)),
})
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationParams = Type.Object({ invitation: Id })

/** A page of one's invitations, or of those who came by them; `after` is the id of the last one seen. */
export const InvitationQuery = Type.Object({ limit: Limit(), after: Cursor })
export type InvitationQuery = Static<typeof InvitationQuery>
