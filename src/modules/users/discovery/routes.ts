import { isPhone, normalizePhone } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, listingClause, transaction } from '#platform/database'
import {
  attemptCounter,
  Cursor,
  CursorBy,
  Empty,
  Limit,
  Listing,
  listingQuery,
  Offset,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
  WithAlias,
} from '#platform/http'
import { nameContains } from '../queries.ts'
import { noSuchUser, UserParams, UserView } from '../schema.ts'
import { userPage, userViews } from '../view.ts'
import {
  findByPhones,
  listLatestIds,
  listPopularIds,
  listRecommendedIds,
  recommend,
  searchUserIds,
  unrecommend,
} from './queries.ts'

const DiscoveryQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

const SearchQuery = Type.Object({
  ...DiscoveryQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})

const PhonesInput = Shared('PhoneNumbers', { phones: TextList(100, 32, { minItems: 1 }) })

const UserWithPhone = Shared('UserWithPhone', { ...UserView.properties, mobi: Type.String() })

export function discoveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  for (const [name, operationId, summary, list] of [
    ['populars', 'listPopularUsers', 'List people with the most followers', listPopularIds],
    ['latests', 'listLatestUsers', 'List the newest people', listLatestIds],
    ['recommends', 'listRecommendedUsers', 'List people recommended by administrators', listRecommendedIds],
  ] as const)
    route(`GET /user/${name}`, {
      operationId,
      summary,
      access: 'optional',
      query: DiscoveryQuery,
      reply: { 200: Type.Array(UserView) },
      handler: async ({ query, viewer }) => userPage(ctx, await list(sql, query, viewer.id), viewer.id),
    })

  route('GET /user/search', {
    operationId: 'searchUsers',
    summary: 'Search people by name; without `keyword` list recommended people',
    access: 'optional',
    query: SearchQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => {
      const { keyword = '', ...page } = query
      const ids =
        nameKey(keyword) === ''
          ? await listRecommendedIds(sql, page, viewer.id)
          : await searchUserIds(sql, keyword, page, viewer.id)
      return userPage(ctx, ids, viewer.id)
    },
  })

  route('POST /user/find-by-phone', {
    operationId: 'findUsersByPhone',
    summary: 'Find members by the phone numbers of an address book',
    whileSilenced: true,
    access: 'user',
    body: PhonesInput,
    reply: { 200: Type.Array(UserWithPhone) },
    handler: async (call) => {
      const { viewer, body } = call
      await attemptCounter(ctx, call, `phones:${viewer.id}`)()
      const asked = new Map(
        body.phones.filter(isPhone).map((phone) => [normalizePhone(phone), phone] as const),
      )
      const found = await findByPhones(sql, [...asked.keys()], viewer.id)
      const ids = found.map((row) => row.id)
      const users = await userViews(ctx, sql, ids, viewer.id)
      return found.flatMap((row) => {
        const user = users.get(row.id)
        return user ? [{ ...user, mobi: asked.get(row.phone) ?? row.phone }] : []
      })
    },
  })
}

const Recommendation = Shared('RecommendedUser', { recommended_at: Time, user: UserView })

const RecommendationQuery = Type.Object({
  ...listingQuery(['recommended_at', 'id']),
  after: CursorBy('user.id'),
})
type RecommendationQuery = Static<typeof RecommendationQuery>

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
      'Stop recommending a person; repeating it changes nothing',
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
