import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { Empty, language, routesOn, type Server, Shared, Type } from '#platform/http'
import { RelationQuery } from '../follows/queries.ts'
import { UserView } from '../schema.ts'
import { noSuchUser, UserParams } from '../users/schema.ts'
import { userPage } from '../users/view.ts'
import { deleteBlock, insertBlock, listBlockedIds } from './queries.ts'

/** Reply to a block: a plain text (sign-in-16). */
const Blocked = Shared('Blocked', { message: Type.String() })

const blocksOneself = apiError(422, 'blocks_oneself', 'You cannot block yourself.', '不能将自己加入黑名单。')

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
    summary: 'List people I block, newest first',
    access: 'user',
    query: RelationQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listBlockedIds(sql, viewer.id, query), viewer.id),
  })
}
