import { wireTime } from '#lib/time.ts'
import { isKnown } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Id, Type } from '#platform/schema.ts'
import { listHistory } from './queries.ts'
import { History, HistoryQuery } from './schema.ts'

/** What was done about a person and by whom, for whoever decides on them (administration-18). */
export function adminHistoryRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })

  route('GET /admin/users/:user/history', {
    operationId: 'adminListUserHistory',
    summary: 'List reports against a person, what was decided about them, by whom, and their appeals',
    access: { ability: 'admin: sanctions' },
    params: Type.Object({ user: Id }),
    query: HistoryQuery,
    reply: { 200: History },
    load: async ({ params }) => {
      if (!(await isKnown(ctx.sql, params.user))) throw notFound()
    },
    handler: async ({ params, query }) => {
      const { data, total } = await listHistory(ctx.sql, params.user, query)
      return { data: data.map((entry) => ({ ...entry, at: wireTime(entry.at) })), total }
    },
  })
}
