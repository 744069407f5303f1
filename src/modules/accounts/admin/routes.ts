import { wireTime, withWireTimes } from '#lib/time.ts'
import { beyondOwnAbilities } from '#modules/abilities/index.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, listingClause, transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Created,
  CursorBy,
  Empty,
  Listing,
  listingQuery,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { findAppeal, listAppeals } from '../appeals/queries.ts'
import { Appeal, AppealDecision, AppealParams, AppealQuery, appealDecided } from '../appeals/schema.ts'
import { appealView, decideAppeal } from '../appeals/service.ts'
import { accountErased } from '../deletion/service.ts'
import { recommend, unrecommend } from '../discovery/queries.ts'
import { UserView } from '../schema.ts'
import { factorOff } from '../second-factor/schema.ts'
import { nameContains } from '../users/queries.ts'
import { noSuchUser, UserParams } from '../users/schema.ts'
import { userViews } from '../users/view.ts'
import { findManagedUser, listManagedUsers } from './queries.ts'
import {
  ACCOUNT_ERRORS,
  lastFounder,
  ManagedUser,
  ManagedUserQuery,
  notOneself,
  UserChanges,
  UserInput,
} from './schema.ts'
import { addUser, changeUser, type Endings, takeFactorOff } from './service.ts'

/** A recommended user and the time of the recommendation. */
const Recommendation = Shared('RecommendedUser', { recommended_at: Time, user: UserView })

/** Filters recommended users by a part of the name. */
export const RecommendationQuery = Type.Object({
  ...listingQuery(['recommended_at', 'id']),
  after: CursorBy('user.id'),
})
export type RecommendationQuery = Static<typeof RecommendationQuery>

function listRecommended(sql: Db, { sort = 'recommended_at', order, q, ...page }: RecommendationQuery) {
  const where = sql`where u.recommended_at is not null and u.deleted_at is null ${nameContains(sql, q)}`
  const by = sort === 'recommended_at' ? sql`u.recommended_at` : undefined
  return pageOf<{ id: number; recommended_at: string }>(
    sql,
    sql`select u.id, u.recommended_at from users u ${where}
      ${listingClause(sql, { order, ...page }, { id: sql`u.id`, by, from: sql`users u` })}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}

/** Recommended users (administration-9). */
export function adminRecommendationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }

  route('GET /admin/user-recommends', {
    operationId: 'adminListRecommendedUsers',
    summary: 'List recommended people, newest first',
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
      'Recommend a person; repeating it changes nothing',
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

/** Appeals for moderators (administration-17). */
export function adminAppealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: sanctions' }
  const get = async ({ params }: { params: { appeal: number } }) => {
    const row = await findAppeal(ctx.sql, params.appeal)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/appeals', {
    operationId: 'adminListAppeals',
    summary: 'List appeals',
    access,
    query: AppealQuery,
    reply: { 200: Listing(Appeal) },
    handler: async ({ query }) => {
      const { data, total } = await listAppeals(ctx.sql, query)
      return { data: data.map(appealView), total }
    },
  })

  route('GET /admin/appeals/:appeal', {
    operationId: 'adminGetAppeal',
    summary: 'Read an appeal',
    access,
    params: AppealParams,
    reply: { 200: Appeal },
    load: get,
    handler: ({ loaded }) => appealView(loaded),
  })

  route('PATCH /admin/appeals/:appeal', {
    operationId: 'adminDecideAppeal',
    summary: 'Decide an appeal once; accepting lifts the sanction, and the person is notified',
    access,
    params: AppealParams,
    body: AppealDecision,
    reply: { 204: Empty },
    errors: [appealDecided],
    load: get,
    handler: (call) => decideAppeal(ctx, call, call.params.appeal, call.body),
  })
}

/** Accounts, disabled ones included (administration-6). */
export const adminUserRoutes = (endings: Endings) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })

  const get = async ({ params }: { params: { user: number } }): Promise<ManagedUser> => {
    const row = await findManagedUser(sql, params.user)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/users', {
    operationId: 'adminListUsers',
    summary: 'List accounts, disabled ones included; `q` searches names',
    access: { ability: 'admin:user:show' },
    query: ManagedUserQuery,
    reply: { 200: Listing(ManagedUser) },
    handler: async ({ query }) => {
      const { data, ...totals } = await listManagedUsers(sql, query)
      return { data: data.map(withWireTimes), ...totals }
    },
  })

  route('GET /admin/users/:user', {
    operationId: 'adminGetUser',
    summary: 'Read an account',
    access: { ability: 'admin:user:show' },
    params: UserParams,
    reply: { 200: ManagedUser },
    load: get,
    handler: ({ loaded }) => withWireTimes(loaded),
  })

  route('POST /admin/users', {
    operationId: 'adminCreateUser',
    summary: 'Create an account that can sign in at once',
    access: { ability: 'admin:user:add' },
    body: UserInput,
    reply: { 201: Created },
    errors: ACCOUNT_ERRORS,
    handler: async (call) => ({ id: await addUser(ctx, call, call.body) }),
  })

  route('PATCH /admin/users/:user', {
    operationId: 'adminUpdateUser',
    summary: 'Change, disable or enable an account',
    access: { ability: 'admin:user:update' },
    params: UserParams,
    body: UserChanges,
    reply: { 204: Empty },
    errors: [...ACCOUNT_ERRORS, lastFounder, notOneself, accountErased],
    load: get,
    handler: (call) => changeUser(ctx, call, call.loaded, call.body, endings),
  })

  route('DELETE /admin/users/:user/second-factor', {
    operationId: 'adminTakeSecondFactorOff',
    summary: 'Remove the lost second factor of an account; its owner is notified',
    access: { ability: 'admin:user:update' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, factorOff],
    load: get,
    handler: (call) => takeFactorOff(ctx, call, call.loaded.id),
  })

  route('DELETE /admin/users/:user', {
    operationId: 'adminDisableUser',
    summary: 'Disable an account',
    access: { ability: 'admin:user:delete' },
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, lastFounder, notOneself, accountErased],
    load: get,
    handler: (call) => changeUser(ctx, call, call.loaded, { disabled: true }, endings),
  })
}
