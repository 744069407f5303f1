import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import { UserView, userIdsNamed, userPage } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, listingOrder, type Tables, transaction } from '#platform/database'
import {
  CursorBy,
  Empty,
  Flag,
  Id,
  Listing,
  listingQuery,
  Nullable,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import {
  endInvitation,
  hasEnded,
  Invitation,
  InvitationParams,
  InvitationQuery,
  type InvitationRow,
  invitationColumns,
  invitationView,
  invite,
  listInvitations,
  listInvitedIds,
  mayNotInvite,
  NewInvitation,
  noSuchInvitation,
  tooManyInvitations,
} from './service.ts'

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

const Named = Shared('NamedUser', { id: Type.Integer(), name: Nullable(Type.String()) })

const ManagedInvitation = Shared('ManagedInvitation', { ...Invitation.properties, user: Named })

const ManagedInvitationQuery = Type.Object({
  ...listingQuery(['id']),
  user: Type.Optional(Id),
  ended: Type.Optional(Flag()),
})
type ManagedInvitationQuery = Static<typeof ManagedInvitationQuery>

const Invitee = Shared('Invitee', {
  user: Named,
  inviter: Named,
  invitation_id: Nullable(Type.Integer()),
  created_at: Time,
})

const InviteeQuery = Type.Object({
  ...listingQuery(['id']),
  after: CursorBy('user.id'),
  user: Type.Optional(Id),
  inviter: Type.Optional(Id),
  invitation: Type.Optional(Id),
})
type InviteeQuery = Static<typeof InviteeQuery>

type Named<N extends string> = Record<`${N}_id`, number> & Record<`${N}_name`, string | null>

function listManagedInvitations(sql: Db, { order, q, user, ended, ...page }: ManagedInvitationQuery) {
  const where = sql`
    where true ${ifGiven(sql, user, (id) => sql`and i.user_id = ${id}`)}
      ${ifGiven(sql, q, (code) => sql`and i.code = ${code.toUpperCase()}`)}
      ${ifGiven(sql, ended, (value) => sql`and (${hasEnded(sql)}) = ${value}`)}`
  const list = { id: sql`i.id` }
  return pageOf<InvitationRow & Named<'user'>>(
    sql,
    sql`select ${invitationColumns(sql)}, i.user_id, m.name as user_name
      from (select i.* from invitations i ${where} ${listingClause(sql, { order, ...page }, list)}) i
      left join users m on m.id = i.user_id ${listingOrder(sql, { order }, list)}`,
    sql`select count(*)::int as total from invitations i ${where}`,
  )
}

function listInvitees(sql: Db, { order, q, user, inviter, invitation, ...page }: InviteeQuery) {
  const where = sql`
    where true ${ifGiven(sql, user, (id) => sql`and n.user_id = ${id}`)}
      ${ifGiven(sql, inviter, (id) => sql`and n.inviter_id = ${id}`)}
      ${ifGiven(sql, invitation, (id) => sql`and n.invitation_id = ${id}`)}
      ${ifGiven(sql, q, (name) => sql`and n.user_id in (${userIdsNamed(sql, name)})`)}`
  return pageOf<
    Pick<Tables['invitation_uses'], 'invitation_id' | 'created_at'> & Named<'user'> & Named<'inviter'>
  >(
    sql,
    sql`select n.user_id, u.name as user_name, n.inviter_id, m.name as inviter_name, n.invitation_id, n.created_at
      from invitation_uses n join users u on u.id = n.user_id left join users m on m.id = n.inviter_id
      ${where} ${listingClause(sql, { order, ...page }, { id: sql`n.user_id` })}`,
    sql`select count(*)::int as total from invitation_uses n ${where}`,
  )
}

export function adminInvitationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: invitations' }

  route('GET /admin/invitations', {
    operationId: 'adminListInvitations',
    summary: 'List invitations with their creators; `q` is a code',
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
    summary: 'Revoke an invitation',
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
    summary: 'List invited people with their inviters',
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
