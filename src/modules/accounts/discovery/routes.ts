import { isPhone, normalizePhone } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { attemptsOf, type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'
import { userPage, userViews } from '../users/view.ts'
import { findByPhones, listLatestIds, listPopularIds, listRecommendedIds, searchUserIds } from './queries.ts'
import { DiscoveryQuery, PhonesInput, SearchQuery, UserWithPhone } from './schema.ts'

export function discoveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Users']
  const people = { 200: Type.Array(UserView) }

  for (const [name, summary, list] of [
    ['populars', 'Those with the most followers', listPopularIds],
    ['latests', 'The newest people', listLatestIds],
    ['recommends', 'Those whom administrators recommend', listRecommendedIds],
  ] as const)
    server.get(
      `/user/${name}`,
      {
        config: { access: 'optional' },
        schema: { tags, summary, querystring: DiscoveryQuery, response: people },
      },
      async (request) => userPage(ctx, await list(sql, request.query), viewerId(request)),
    )

  server.get(
    '/user/search',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'People with a part of their name; without `keyword` those recommended',
        querystring: SearchQuery,
        response: people,
      },
    },
    async (request) => {
      const { keyword = '', ...page } = request.query
      const ids =
        nameKey(keyword) === ''
          ? await listRecommendedIds(sql, page)
          : await searchUserIds(sql, keyword, page)
      return userPage(ctx, ids, viewerId(request))
    },
  )

  server.post(
    '/user/find-by-phone',
    {
      // The original answers guests without a limit, which tells anybody whose number it is (R §28 item 38).
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Who of an address book is here',
        body: PhonesInput,
        response: { 200: Type.Array(UserWithPhone) },
      },
    },
    async (request, reply) => {
      const { id } = viewerOf(request)
      await attemptsOf(ctx, { request, reply })(`phones:${id}`)
      const asked = new Map(
        request.body.phones.filter(isPhone).map((phone) => [normalizePhone(phone), phone] as const),
      )
      const found = await findByPhones(sql, [...asked.keys()])
      const users = await userViews(
        ctx,
        sql,
        found.map((row) => row.id),
        id,
      )
      return found.flatMap((row) => {
        const user = users.get(row.id)
        return user ? [{ ...user, mobi: asked.get(row.phone) ?? row.phone }] : []
      })
    },
  )
}
