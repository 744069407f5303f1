import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { listAbilitiesOf } from './queries.ts'
import { AbilityView } from './schema.ts'

/** What one may do (sign-in-19). */
export function abilityRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('GET /user/abilities', {
    operationId: 'listMyAbilities',
    summary: 'List what I may do, by all my roles',
    access: 'user',
    reply: { 200: Type.Array(AbilityView) },
    handler: ({ viewer }) => listAbilitiesOf(ctx.sql, viewer.id),
  })
}
