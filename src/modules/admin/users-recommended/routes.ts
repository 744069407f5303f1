import { wireTime } from '#lib/time.ts'
import { noSuchUser, recommend, unrecommend, userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { listRecommended } from './queries.ts'
import { PersonParams, RecommendationListing, RecommendationQuery } from './schema.ts'

const access = { ability: 'admin:user:update' }
const tags = ['Administration']

/** Whom the site recommends to others. */
export function recommendationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/admin/user-recommends',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Who is recommended, the newest first',
        querystring: RecommendationQuery,
        response: { 200: RecommendationListing },
      },
    },
    async (request) => {
      const { data, total } = await listRecommended(sql, request.query)
      const users = await userViews(
        ctx,
        sql,
        data.map(({ id }) => id),
        viewerOf(request).id,
      )
      const shown = data.flatMap((row) => {
        const user = users.get(row.id)
        return user ? [{ recommended_at: wireTime(row.recommended_at), user }] : []
      })
      return { data: shown, total }
    },
  )

  for (const [method, action, summary, change] of [
    ['PUT', 'users.recommend', 'Recommend somebody; a second time changes nothing', recommend],
    ['DELETE', 'users.unrecommend', 'End a recommendation, if there is one', unrecommend],
  ] as const)
    server.route({
      method,
      url: '/admin/user-recommends/:user',
      config: { access },
      schema: { tags, summary, params: PersonParams, response: { 204: Empty } },
      handler: async (request, reply) => {
        const { user } = request.params
        await transaction(sql, async (tx) => {
          const changed = await change(tx, user)
          if (changed === undefined) throw noSuchUser()
          if (changed) await recordAudit(tx, request, { action, subjectType: 'users', subjectId: user })
        })
        return reply.code(204).send()
      },
    })
}
