import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'
import { noSuchUser } from '../users/errors.ts'
import { isUser } from '../users/queries.ts'
import { UserParams } from '../users/schema.ts'
import { userPage } from '../users/view.ts'
import { listFollowerIds, listFollowingIds, listMutualIds } from './queries.ts'
import { MutualQuery, RelationQuery, TargetParams } from './schema.ts'
import { follow, unfollow } from './service.ts'

const tags = ['Relations']
const people = { 200: Type.Array(UserView) }

export function followRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.put(
    '/user/followings/:target',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Follow somebody', params: TargetParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      await follow(sql, viewerOf(request).id, request.params.target)
      return reply.code(204).send()
    },
  )

  server.delete(
    '/user/followings/:target',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Unfollow somebody', params: TargetParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      await unfollow(sql, viewerOf(request).id, request.params.target)
      return reply.code(204).send()
    },
  )

  for (const [name, list] of [
    ['followers', listFollowerIds],
    ['followings', listFollowingIds],
  ] as const) {
    server.get(
      `/user/${name}`,
      {
        config: { access: 'user' },
        schema: { tags, summary: `Your ${name}, newest first`, querystring: RelationQuery, response: people },
      },
      async (request) => {
        const { id } = viewerOf(request)
        return userPage(ctx, await list(sql, id, request.query), id)
      },
    )

    server.get(
      `/users/:user/${name}`,
      {
        config: {
          access: 'optional',
          before: async (request) => {
            if (!(await isUser(sql, (request.params as { user: number }).user))) throw noSuchUser()
          },
        },
        schema: {
          tags,
          summary: `Somebody's ${name}, newest first`,
          params: UserParams,
          querystring: RelationQuery,
          response: people,
        },
      },
      async (request) => {
        const { user } = request.params
        const [found, ids] = await Promise.all([isUser(sql, user), list(sql, user, request.query)])
        if (!found) throw noSuchUser()
        return userPage(ctx, ids, viewerId(request))
      },
    )
  }

  server.get(
    '/user/follow-mutual',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Whom you follow and who follows you, newest first',
        querystring: MutualQuery,
        response: people,
      },
    },
    async (request) => {
      const { id } = viewerOf(request)
      return userPage(ctx, await listMutualIds(sql, id, request.query), id)
    },
  )
}
