import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { UserView } from '../schema.ts'
import { userPage } from '../users/view.ts'
import { endInvitation, listInvitations, listInvitedIds } from './queries.ts'
import {
  Invitation,
  InvitationParams,
  InvitationQuery,
  mayNotInvite,
  NewInvitation,
  noSuchInvitation,
  tooManyInvitations,
} from './schema.ts'
import { invitationView, invite } from './service.ts'

/** Invitations of the viewer (registration-6). */
export function invitationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/invitations', {
    operationId: 'listInvitations',
    summary: 'List my invitations, newest first',
    access: 'user',
    query: InvitationQuery,
    reply: { 200: Type.Array(Invitation) },
    handler: async ({ viewer, query }) => (await listInvitations(sql, viewer.id, query)).map(invitationView),
  })

  route('POST /user/invitations', {
    operationId: 'createInvitation',
    summary: 'Create an invitation',
    access: 'user',
    body: NewInvitation,
    reply: { 201: Invitation },
    errors: [mayNotInvite, tooManyInvitations],
    handler: ({ viewer, body }) => invite(ctx, viewer.id, body),
  })

  route('DELETE /user/invitations/:invitation', {
    operationId: 'endInvitation',
    summary: 'Revoke an invitation of mine',
    access: 'user',
    params: InvitationParams,
    reply: { 204: Empty },
    errors: [noSuchInvitation],
    handler: async ({ params, viewer }) => {
      if (!(await endInvitation(sql, params.invitation, viewer.id))) throw noSuchInvitation()
    },
  })

  route('GET /user/invitees', {
    operationId: 'listInvitees',
    summary: 'List people I invited, newest first',
    access: 'user',
    query: InvitationQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listInvitedIds(sql, viewer.id, query), viewer.id),
  })
}
