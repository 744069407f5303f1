import { wireTime } from '#lib/time.ts'
import { endFame, isUser, makeFamous, noSuchUser, userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { PersonParams } from '../users-recommended/schema.ts'
import { countFamous, listFamous } from './queries.ts'
import { FamousBody, FamousListing, FamousQuery } from './schema.ts'

const FAMOUS_MAX = 50
const tooMany = apiError(
  422,
  'too_many_famous',
  `No more than ${FAMOUS_MAX} people can be followed by everybody.`,
  `默认关注用户不能超过 ${FAMOUS_MAX} 个。`,
)
const access = { ability: 'admin:user:update' }
const tags = ['Administration']

/** Whom everybody follows who registers (R §25). */
export function famousRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/admin/user-famous',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Whom newcomers follow, the newest first',
        querystring: FamousQuery,
        response: { 200: FamousListing },
      },
    },
    async (request) => {
      const { data, total } = await listFamous(sql, request.query)
      const users = await userViews(
        ctx,
        sql,
        data.map(({ id }) => id),
        viewerOf(request).id,
      )
      const shown = data.flatMap(({ id, type, created_at: createdAt }) => {
        const user = users.get(id)
        return user ? [{ type, created_at: wireTime(createdAt), user }] : []
      })
      return { data: shown, total }
    },
  )

  server.put(
    '/admin/user-famous/:user',
    {
      config: {
        access,
        before: async (request) => {
          if (!(await isUser(sql, (request.params as { user: number }).user))) throw noSuchUser()
        },
      },
      schema: {
        tags,
        summary: 'Let everybody who registers follow somebody; with `each` they follow back',
        params: PersonParams,
        body: FamousBody,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { user } = request.params
      const { type } = request.body
      await transaction(sql, async (tx) => {
        const changed = await makeFamous(tx, user, type)
        if (changed === undefined) throw noSuchUser()
        if ((await countFamous(tx)) > FAMOUS_MAX) throw tooMany()
        if (changed)
          await recordAudit(tx, request, {
            action: 'users.famous',
            subjectType: 'users',
            subjectId: user,
            after: { type },
          })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/user-famous/:user',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Newcomers follow this person no more; 404 when they did not',
        params: PersonParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { user } = request.params
      await transaction(sql, async (tx) => {
        if (!(await endFame(tx, user))) throw noSuchUser()
        await recordAudit(tx, request, { action: 'users.unfamous', subjectType: 'users', subjectId: user })
      })
      return reply.code(204).send()
    },
  )
}
