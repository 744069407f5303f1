import type { Context } from '#platform/context.ts'
import { blocked } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'
import { noSuchUser } from '../users/errors.ts'
import { isUser } from '../users/queries.ts'
import { UserParams } from '../users/schema.ts'
import { peopleOverlay, userPage } from '../users/view.ts'
import { alreadyFollowed, followsOneself } from './errors.ts'
import { listFollowerIds, listFollowingIds, listMutualIds } from './queries.ts'
import { MutualQuery, RelationQuery, TargetParams } from './schema.ts'
import { follow, unfollow } from './service.ts'

/** Following people, and who follows whom (sign-in-15). */
export function followRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })
  const requireUser = async (id: number) => {
    if (!(await isUser(sql, id))) throw noSuchUser()
  }

  route('PUT /user/followings/:target', {
    operationId: 'followUser',
    summary: 'Follow somebody; a second time is 422',
    access: 'user',
    params: TargetParams,
    reply: { 204: Empty },
    errors: [noSuchUser, followsOneself, alreadyFollowed, blocked],
    handler: ({ params, viewer }) => follow(sql, viewer.id, params.target),
  })

  route('DELETE /user/followings/:target', {
    operationId: 'unfollowUser',
    summary: 'Stop following somebody',
    access: 'user',
    params: TargetParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: ({ params, viewer }) => unfollow(sql, viewer.id, params.target),
  })

  for (const [name, entities, list] of [
    ['followers', 'Followers', listFollowerIds],
    ['followings', 'Followings', listFollowingIds],
  ] as const) {
    route(`GET /user/${name}`, {
      operationId: `listMy${entities}`,
      summary: `List my ${name}, newest first`,
      access: 'user',
      query: RelationQuery,
      reply: { 200: Type.Array(UserView) },
      handler: async ({ viewer, query }) => userPage(ctx, await list(sql, viewer.id, query), viewer.id),
    })

    route(`GET /users/:user/${name}`, {
      operationId: `list${entities}`,
      summary: `List somebody's ${name}, newest first`,
      access: 'optional',
      kept: peopleOverlay,
      params: UserParams,
      query: RelationQuery,
      reply: { 200: Type.Array(UserView) },
      errors: [noSuchUser],
      whenInvalid: ({ params }) => requireUser(params.user),
      handler: async ({ params, query, viewer }) => {
        const [ids] = await Promise.all([list(sql, params.user, query), requireUser(params.user)])
        return userPage(ctx, ids, viewer.id)
      },
    })
  }

  route('GET /user/follow-mutual', {
    operationId: 'listFriends',
    summary: 'List whom I follow and who follow me, newest first',
    access: 'user',
    query: MutualQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listMutualIds(sql, viewer.id, query), viewer.id),
  })
}
