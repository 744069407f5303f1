import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { noSuchInvitation } from '../../invitations/errors.ts'
import { endInvitation } from '../../invitations/queries.ts'
import { InvitationParams } from '../../invitations/schema.ts'
import { invitationView } from '../../invitations/service.ts'
import { listInvitees, listManagedInvitations } from './queries.ts'
import { Invitee, InviteeQuery, ManagedInvitation, ManagedInvitationQuery } from './schema.ts'

/** All invitations, and who came by them (registration-7). */
export function adminInvitationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: invitations' }

  route('GET /admin/invitations', {
    operationId: 'adminListInvitations',
    summary: 'List invitations with their makers; `q` is a code',
    access,
    query: ManagedInvitationQuery,
    reply: { 200: Listing(ManagedInvitation) },
    handler: async ({ query }) => {
      const { data, total } = await listManagedInvitations(sql, query)
      const shown = data.map(({ user_id: id, user_name: name, ...row }) => ({
        ...invitationView(row),
        user: { id, name },
      }))
      return { data: shown, total }
    },
  })

  route('DELETE /admin/invitations/:invitation', {
    operationId: 'adminEndInvitation',
    summary: 'End an invitation: nobody more comes by it',
    access,
    params: InvitationParams,
    reply: { 204: Empty },
    errors: [noSuchInvitation],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { invitation } = call.params
        if (!(await endInvitation(tx, invitation))) throw noSuchInvitation()
        await recordAudit(tx, call, {
          action: 'invitations.end',
          subjectType: 'invitations',
          subjectId: invitation,
        })
      }),
  })

  route('GET /admin/invitees', {
    operationId: 'adminListInvitees',
    summary: 'List who came by an invitation, and whose',
    access,
    query: InviteeQuery,
    reply: { 200: Listing(Invitee) },
    handler: async ({ query }) => {
      const { data, total } = await listInvitees(sql, query)
      const shown = data.map((row) => ({
        user: { id: row.user_id, name: row.user_name },
        inviter: { id: row.inviter_id, name: row.inviter_name },
        invitation_id: row.invitation_id,
        created_at: wireTime(row.created_at),
      }))
      return { data: shown, total }
    },
  })
}
