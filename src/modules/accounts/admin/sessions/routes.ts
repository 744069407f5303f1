import { findAbilitiesBeyond, mayDoMore } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchSession } from '../../sessions/errors.ts'
import { Session, SessionParams } from '../../sessions/schema.ts'
import { sessionsOf, signOut } from '../../sessions/service.ts'
import { UserParams } from '../../users/schema.ts'
import { isKnown } from '../queries.ts'

/** Where others are signed in (administration-22). */
export function adminSessionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }
  const load = async ({ params, viewer }: { params: { user: number }; viewer: { id: number } }) => {
    if (!(await isKnown(ctx.sql, params.user))) throw notFound()
    if (params.user !== viewer.id && (await findAbilitiesBeyond(ctx.sql, params.user, viewer.id)).length > 0)
      throw mayDoMore()
  }

  route('GET /admin/users/:user/sessions', {
    operationId: 'adminListSessions',
    summary: 'List where a person is signed in, the last used first',
    access,
    params: UserParams,
    reply: { 200: Type.Array(Session) },
    errors: [mayDoMore],
    load,
    handler: ({ params, viewer }) => sessionsOf(ctx, params.user, viewer.family),
  })

  route('DELETE /admin/users/:user/sessions', {
    operationId: 'adminEndSessions',
    summary: 'Sign a person out everywhere, who is told',
    access,
    params: UserParams,
    reply: { 204: Empty },
    errors: [mayDoMore],
    load,
    handler: (call) => signOut(ctx, call, call.params.user),
  })

  route('DELETE /admin/users/:user/sessions/:session', {
    operationId: 'adminEndSession',
    summary: 'End one sign-in of a person, who is told',
    access,
    params: Type.Object({ ...UserParams.properties, ...SessionParams.properties }),
    reply: { 204: Empty },
    errors: [mayDoMore, noSuchSession],
    load,
    handler: (call) => signOut(ctx, call, call.params.user, call.params.session.toLowerCase()),
  })
}
