import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { endFame, makeFamous } from '../../famous/queries.ts'
import { noSuchUser } from '../../users/errors.ts'
import { isUser } from '../../users/queries.ts'
import { UserParams } from '../../users/schema.ts'
import { userViews } from '../../users/view.ts'
import { countFamous, listFamous } from './queries.ts'
import { Famous, FamousBody, FamousQuery } from './schema.ts'

const FAMOUS_MAX = 50
const tooMany = apiError(
  422,
  'too_many_famous',
  `No more than ${FAMOUS_MAX} people can be followed by everybody.`,
  `默认关注用户不能超过 ${FAMOUS_MAX} 个。`,
)

/** Whom everybody follows who registers (sign-in-18, administration-9). */
export function adminFamousRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }

  route('GET /admin/user-famous', {
    operationId: 'adminListFamousUsers',
    summary: 'List whom newcomers follow, the newest first',
    access,
    query: FamousQuery,
    reply: { 200: Listing(Famous) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listFamous(sql, query)
      const ids = data.map(({ id }) => id)
      const users = await userViews(ctx, sql, ids, viewer.id)
      const shown = data.flatMap(({ id, type, created_at: createdAt }) => {
        const user = users.get(id)
        return user ? [{ type, created_at: wireTime(createdAt), user }] : []
      })
      return { data: shown, total }
    },
  })

  route('PUT /admin/user-famous/:user', {
    operationId: 'adminMakeUserFamous',
    summary: 'Let everybody who registers follow somebody; with `each` they follow back',
    access,
    params: UserParams,
    body: FamousBody,
    reply: { 204: Empty },
    errors: [noSuchUser, tooMany],
    whenInvalid: async ({ params }) => {
      if (!(await isUser(sql, params.user))) throw noSuchUser()
    },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { user } = call.params
        const { type } = call.body
        const changed = await makeFamous(tx, user, type)
        if (changed === undefined) throw noSuchUser()
        if ((await countFamous(tx)) > FAMOUS_MAX) throw tooMany()
        if (changed)
          await recordAudit(tx, call, {
            action: 'users.famous',
            subjectType: 'users',
            subjectId: user,
            after: { type },
          })
      }),
  })

  route('DELETE /admin/user-famous/:user', {
    operationId: 'adminEndUserFame',
    summary: 'Let newcomers follow this person no more; 404 when they did not',
    access,
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { user } = call.params
        if (!(await endFame(tx, user))) throw noSuchUser()
        await recordAudit(tx, call, { action: 'users.unfamous', subjectType: 'users', subjectId: user })
      }),
  })
}
