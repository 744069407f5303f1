import { dropCachedTokens, listSignIns, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { noSuchSession, Session, SessionParams, sessionsOf } from './service.ts'

/** The viewer's sessions (rights-4). */
export function sessionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sessions', {
    operationId: 'listSessions',
    summary: 'List my sessions, last used first',
    access: 'user',
    reply: { 200: Type.Array(Session) },
    handler: ({ viewer }) => sessionsOf(ctx, viewer.id, viewer.family),
  })

  route('DELETE /user/sessions', {
    operationId: 'endOtherSessions',
    summary: 'End all my other sessions',
    access: 'user',
    whileSilenced: true,
    reply: { 204: Empty },
    handler: async ({ viewer }) => {
      const keys = await transaction(sql, (tx) => revokeTokens(ctx, tx, viewer.id, { except: viewer.family }))
      await dropCachedTokens(ctx, keys)
    },
  })

  route('DELETE /user/sessions/:session', {
    operationId: 'endSession',
    summary: 'End a session of mine',
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
      await dropCachedTokens(ctx, keys)
    },
  })
}
