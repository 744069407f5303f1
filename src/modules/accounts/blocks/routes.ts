import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { RelationQuery } from '../follows/schema.ts'
import { UserView } from '../schema.ts'
import { noSuchUser } from '../users/errors.ts'
import { UserParams } from '../users/schema.ts'
import { userPage } from '../users/view.ts'
import { deleteBlock, insertBlock, listBlockedIds } from './queries.ts'
import { Blocked } from './schema.ts'

const blocksOneself = apiError(422, 'blocks_oneself', 'You cannot block yourself.', '不能将自己加入黑名单。')

/** Blocking people (sign-in-16). */
export function blockRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('POST /user/black/:user', {
    operationId: 'blockUser',
    summary: 'Block somebody',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 201: Blocked },
    errors: [noSuchUser, blocksOneself],
    handler: async ({ params, viewer, request }) => {
      if (params.user === viewer.id) throw blocksOneself()
      if (!(await insertBlock(sql, viewer.id, params.user))) throw noSuchUser()
      return { message: language(request) === 'zh' ? '已加入黑名单。' : 'Blocked.' }
    },
  })

  route('DELETE /user/black/:user', {
    operationId: 'unblockUser',
    summary: 'Unblock somebody',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: async ({ params, viewer }) => {
      if (!(await deleteBlock(sql, viewer.id, params.user))) throw noSuchUser()
    },
  })

  route('GET /user/blacks', {
    operationId: 'listBlockedUsers',
    summary: 'List whom I block, newest first',
    access: 'user',
    query: RelationQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listBlockedIds(sql, viewer.id, query), viewer.id),
  })
}
