import { isPhone, normalizePhone } from '#lib/phones.ts'
import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, type Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'
import { peopleOverlay, userPage, userViews } from '../users/view.ts'
import { findByPhones, listLatestIds, listPopularIds, listRecommendedIds, searchUserIds } from './queries.ts'
import { DiscoveryQuery, PhonesInput, SearchQuery, UserWithPhone } from './schema.ts'

/** Finding people whom one does not know yet (sign-in-17). */
export function discoveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Users' })

  for (const [name, operationId, summary, list] of [
    ['populars', 'listPopularUsers', 'List people with the most followers', listPopularIds],
    ['latests', 'listLatestUsers', 'List the newest people', listLatestIds],
    ['recommends', 'listRecommendedUsers', 'List whom administrators recommend', listRecommendedIds],
  ] as const)
    route(`GET /user/${name}`, {
      operationId,
      summary,
      access: 'optional',
      kept: peopleOverlay,
      query: DiscoveryQuery,
      reply: { 200: Type.Array(UserView) },
      handler: async ({ query, viewer }) => userPage(ctx, await list(sql, query), viewer.id),
    })

  route('GET /user/search', {
    operationId: 'searchUsers',
    replica: true,
    summary: 'List people with a part of their name; without `keyword` those recommended',
    access: 'optional',
    kept: peopleOverlay,
    query: SearchQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => {
      const { keyword = '', ...page } = query
      const ids =
        nameKey(keyword) === ''
          ? await listRecommendedIds(sql, page)
          : await searchUserIds(sql, keyword, page)
      return userPage(ctx, ids, viewer.id)
    },
  })

  route('POST /user/find-by-phone', {
    operationId: 'findUsersByPhone',
    summary: 'Find who of an address book is here',
    whileSilenced: true,
    access: 'user',
    body: PhonesInput,
    reply: { 200: Type.Array(UserWithPhone) },
    handler: async (call) => {
      const { viewer, body } = call
      await attemptsOf(ctx, call, `phones:${viewer.id}`)()
      const asked = new Map(
        body.phones.filter(isPhone).map((phone) => [normalizePhone(phone), phone] as const),
      )
      const found = await findByPhones(sql, [...asked.keys()])
      const ids = found.map((row) => row.id)
      const users = await userViews(ctx, sql, ids, viewer.id)
      return found.flatMap((row) => {
        const user = users.get(row.id)
        return user ? [{ ...user, mobi: asked.get(row.phone) ?? row.phone }] : []
      })
    },
  })
}
