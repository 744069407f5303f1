import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { imState } from '#modules/im/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { ImState } from './schema.ts'

/** How instant messaging stands. */
export function adminImRoutes(server: Server, ctx: Context) {
  server.get(
    '/admin/im',
    {
      config: { access: { ability: 'im: manage' } },
      schema: {
        tags: ['Administration'],
        summary:
          'The provider of instant messaging, what waits for it, and the last registration of everybody',
        response: { 200: ImState },
      },
    },
    async () => {
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
  )
}
