import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { imState } from '../drift/service.ts'
import { ImState } from './schema.ts'

/** How instant messaging stands. */
export function adminImRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: messaging' })

  route('GET /admin/im', {
    operationId: 'adminGetImState',
    summary: 'Read how the chat provider is, what waits for it, and the last registration of everybody',
    access: { ability: 'im: manage' },
    reply: { 200: ImState },
    handler: async () => {
      const { registration, fault, ...state } = await imState(ctx)
      return {
        ...state,
        healthy: fault === null,
        fault,
        registration: registration && {
          ...registration,
          created_at: wireTime(registration.created_at),
          finished_at: wireTimeOrNull(registration.finished_at),
        },
      }
    },
  })
}
