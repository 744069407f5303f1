import { isPhone, normalizePhone } from '#lib/phones.ts'
import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import {
  attemptCounter,
  Cursor,
  Limit,
  Offset,
  routesOn,
  type Server,
  Shared,
  Text,
  TextList,
  Type,
  WithAlias,
} from '#platform/http'
import { UserView } from '../schema.ts'
import { userPage, userViews } from '../users/view.ts'
import { findByPhones, listLatestIds, listPopularIds, listRecommendedIds, searchUserIds } from './queries.ts'

const DiscoveryQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

const SearchQuery = Type.Object({
  ...DiscoveryQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})

/** Phone numbers from an address book. */
const PhonesInput = Shared('PhoneNumbers', { phones: TextList(100, 32, { minItems: 1 }) })

/** A user found by phone. `mobi` is the requested number. */
const UserWithPhone = Shared('UserWithPhone', { ...UserView.properties, mobi: Type.String() })

/** Discovery of users (sign-in-17). */
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
      handler: async ({ query, viewer }) => userPage(ctx, await list(sql, query), viewer.id),
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
          ? await listRecommendedIds(sql, page)
          : await searchUserIds(sql, keyword, page)
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
