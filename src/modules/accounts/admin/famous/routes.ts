import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import {
  CursorBy,
  Empty,
  Listing,
  listingQuery,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { endFame, FAMOUS_TYPES, type FamousType, makeFamous } from '../../famous/queries.ts'
import { UserView } from '../../schema.ts'
import { isUser, nameContains } from '../../users/queries.ts'
import { noSuchUser, UserParams } from '../../users/schema.ts'
import { userViews } from '../../users/view.ts'

const FamousTypeName = OneOf(FAMOUS_TYPES)

/** A famous user and the start of the fame. */
const Famous = Shared('FamousUser', { type: FamousTypeName, created_at: Time, user: UserView })

/** Filters famous users by kind and a part of the name. */
export const FamousQuery = Type.Object({
  ...listingQuery(['created_at', 'id']),
  after: CursorBy('user.id'),
  type: Type.Optional(FamousTypeName),
})
export type FamousQuery = Static<typeof FamousQuery>

/** Kind of fame: with or without following back. */
const FamousBody = Shared('Fame', { type: OneOf(FAMOUS_TYPES) })

function listFamous(sql: Db, { sort = 'created_at', order, q, type, ...page }: FamousQuery) {
  const from = sql`from famous_users f join users u on u.id = f.user_id and u.deleted_at is null
    where true ${nameContains(sql, q)} ${ifGiven(sql, type, (value) => sql`and f.type = ${value}`)}`
  const by = sort === 'created_at' ? sql`f.created_at` : undefined
  return pageOf<{ id: number; type: FamousType; created_at: string }>(
    sql,
    sql`select u.id, f.type, f.created_at ${from}
      ${listingClause(sql, { order, ...page }, { id: sql`f.user_id`, by, from: sql`famous_users f` })}`,
    sql`select count(*)::int as total ${from}`,
  )
}

/** Counts famous users. Each costs every registration two rows. */
async function countFamous(sql: Db): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from famous_users`
  return row.total
}

const FAMOUS_MAX = 50
const tooMany = apiError(
  422,
  'too_many_famous',
  `No more than ${FAMOUS_MAX} people can be followed by everybody.`,
  `默认关注用户不能超过 ${FAMOUS_MAX} 个。`,
)

/** Famous users, followed by every new account (sign-in-18, administration-9). */
export function adminFamousRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }

  route('GET /admin/user-famous', {
    operationId: 'adminListFamousUsers',
    summary: 'List people whom newcomers follow automatically, newest first',
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
    summary: 'Make newcomers follow a person; with `each` the person follows back',
    access,
    params: UserParams,
    body: FamousBody,
    reply: { 204: Empty },
    errors: [noSuchUser, tooMany],
    precheck: async ({ params }) => {
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
    summary: 'Stop newcomers from following a person; 404 when they do not',
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
