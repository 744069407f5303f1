import { forgetTokens, listSignIns, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchSession } from './errors.ts'
import { Session, SessionParams } from './schema.ts'
import { sessionsOf } from './service.ts'

/** Where I am signed in (rights-4). */
export function sessionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sessions', {
    operationId: 'listSessions',
    summary: 'List where I am signed in, the last used first',
    access: 'user',
    reply: { 200: Type.Array(Session) },
    handler: ({ viewer }) => sessionsOf(ctx, viewer.id, viewer.family),
  })

  route('DELETE /user/sessions', {
    operationId: 'endOtherSessions',
    summary: 'End all my sign-ins but this one',
    access: 'user',
    whileSilenced: true,
    reply: { 204: Empty },
    handler: async ({ viewer }) => {
      const keys = await transaction(sql, (tx) => revokeTokens(ctx, tx, viewer.id, { except: viewer.family }))
      forgetTokens(ctx, keys)
    },
  })

  route('DELETE /user/sessions/:session', {
    operationId: 'endSession',
    summary: 'End a sign-in of mine',
    access: 'user',
    whileSilenced: true,
    params: SessionParams,
    reply: { 204: Empty },
    errors: [noSuchSession],
    handler: async ({ viewer, params }) => {
      const family = params.session.toLowerCase()
      const known = await listSignIns(sql, viewer.id)
      if (!known.some(({ id }) => id === family)) throw noSuchSession()
      const keys = await transaction(sql, (tx) => revokeTokens(ctx, tx, viewer.id, { family }))
      forgetTokens(ctx, keys)
    },
  })
}
