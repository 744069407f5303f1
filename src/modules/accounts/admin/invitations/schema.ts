import { listingQuery } from '#platform/listing.ts'
import { CursorBy, Flag, Id, Nullable, Shared, type Static, Time, Type } from '#platform/schema.ts'
import { Invitation } from '../../invitations/schema.ts'

const Named = Shared('NamedUser', { id: Type.Integer(), name: Nullable(Type.String()) })

/** An invitation with its maker. */
export const ManagedInvitation = Shared('ManagedInvitation', { ...Invitation.properties, user: Named })

/** Invitations by maker and state; `q` is a code. */
export const ManagedInvitationQuery = Type.Object({
  ...listingQuery(['id']),
  user: Type.Optional(Id),
  ended: Type.Optional(Flag()),
})
export type ManagedInvitationQuery = Static<typeof ManagedInvitationQuery>

/** Who came by which invitation. */
export const Invitee = Shared('Invitee', {
  user: Named,
  inviter: Named,
  invitation_id: Nullable(Type.Integer()),
  created_at: Time,
})

/** Those who were invited, by whom and by what. */
export const InviteeQuery = Type.Object({
  ...listingQuery(['id']),
  after: CursorBy('user.id'),
  user: Type.Optional(Id),
  inviter: Type.Optional(Id),
  invitation: Type.Optional(Id),
})
export type InviteeQuery = Static<typeof InviteeQuery>
