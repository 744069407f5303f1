import { beyondOwnAbilities, findExcessAbilities } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { noSuchSession, Session, SessionParams, sessionsOf, signOut } from '../../sessions/service.ts'
import { UserParams } from '../../users/schema.ts'
import { accountExists } from '../queries.ts'

/** Sessions of other users (administration-22). */
export function adminSessionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }
  const load = async ({ params, viewer }: { params: { user: number }; viewer: { id: number } }) => {
    if (!(await accountExists(ctx.sql, params.user))) throw notFound()
    if (params.user !== viewer.id && (await findExcessAbilities(ctx.sql, params.user, viewer.id)).length > 0)
      throw beyondOwnAbilities()
  }

  route('GET /admin/users/:user/sessions', {
    operationId: 'adminListSessions',
    summary: 'List the sessions of a person, last used first',
    access,
    params: UserParams,
    reply: { 200: Type.Array(Session) },
    errors: [beyondOwnAbilities],
    load,
    handler: ({ params, viewer }) => sessionsOf(ctx, params.user, viewer.family),
  })

  route('DELETE /admin/users/:user/sessions', {
    operationId: 'adminEndSessions',
    summary: 'End all sessions of a person, with notification',
    access,
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities],
    load,
    handler: (call) => signOut(ctx, call, call.params.user),
  })

  route('DELETE /admin/users/:user/sessions/:session', {
    operationId: 'adminEndSession',
    summary: 'End one session of a person, with notification',
    access,
    params: Type.Object({ ...UserParams.properties, ...SessionParams.properties }),
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, noSuchSession],
    load,
    handler: (call) => signOut(ctx, call, call.params.user, call.params.session.toLowerCase()),
  })
}
