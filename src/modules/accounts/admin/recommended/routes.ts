import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { recommend, unrecommend } from '../../discovery/queries.ts'
import { noSuchUser } from '../../users/errors.ts'
import { UserParams } from '../../users/schema.ts'
import { userViews } from '../../users/view.ts'
import { listRecommended } from './queries.ts'
import { Recommendation, RecommendationQuery } from './schema.ts'

/** Whom the site recommends to others (administration-9). */
export function adminRecommendationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }

  route('GET /admin/user-recommends', {
    operationId: 'adminListRecommendedUsers',
    summary: 'List who is recommended, the newest first',
    access,
    query: RecommendationQuery,
    reply: { 200: Listing(Recommendation) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listRecommended(sql, query)
      const ids = data.map(({ id }) => id)
      const users = await userViews(ctx, sql, ids, viewer.id)
      const shown = data.flatMap((row) => {
        const user = users.get(row.id)
        return user ? [{ recommended_at: wireTime(row.recommended_at), user }] : []
      })
      return { data: shown, total }
    },
  })

  for (const [verb, operationId, action, summary, change] of [
    [
      'PUT',
      'adminRecommendUser',
      'users.recommend',
      'Recommend somebody; a second time changes nothing',
      recommend,
    ],
    [
      'DELETE',
      'adminUnrecommendUser',
      'users.unrecommend',
      'End a recommendation, if there is one',
      unrecommend,
    ],
  ] as const)
    route(`${verb} /admin/user-recommends/:user`, {
      operationId,
      summary,
      access,
      params: UserParams,
      reply: { 204: Empty },
      errors: [noSuchUser],
      handler: (call) =>
        transaction(sql, async (tx) => {
          const { user } = call.params
          const changed = await change(tx, user)
          if (changed === undefined) throw noSuchUser()
          if (changed) await recordAudit(tx, call, { action, subjectType: 'users', subjectId: user })
        }),
    })
}
