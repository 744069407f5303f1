import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { listSanctionsOf } from './queries.ts'
import { OwnSanction, OwnSanctionQuery } from './schema.ts'
import { ownSanctionView } from './view.ts'

/** What was decided about oneself (sign-in-27). */
export function sanctionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sanctions', {
    operationId: 'listMySanctions',
    summary: 'List the warnings, silences and suspensions that concern me, newest first',
    access: 'user',
    query: OwnSanctionQuery,
    reply: { 200: Type.Array(OwnSanction) },
    handler: async ({ query, viewer }) =>
      (await listSanctionsOf(ctx.sql, viewer.id, query)).map(ownSanctionView),
  })
}
