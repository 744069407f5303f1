import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { listSanctionsOf } from './queries.ts'
import { OwnSanction, OwnSanctionQuery } from './schema.ts'
import { ownSanctionView } from './service.ts'

/** The viewer's own sanctions (sign-in-27). */
export function sanctionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sanctions', {
    operationId: 'listMySanctions',
    summary: 'List my warnings, silences and suspensions, newest first',
    access: 'user',
    query: OwnSanctionQuery,
    reply: { 200: Type.Array(OwnSanction) },
    handler: async ({ query, viewer }) =>
      (await listSanctionsOf(ctx.sql, viewer.id, query)).map(ownSanctionView),
  })
}
