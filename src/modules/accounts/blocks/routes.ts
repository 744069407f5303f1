import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { RelationQuery } from '../follows/schema.ts'
import { UserView } from '../schema.ts'
import { noSuchUser } from '../users/errors.ts'
import { UserParams } from '../users/schema.ts'
import { userPage } from '../users/view.ts'
import { deleteBlock, insertBlock, listBlockedIds } from './queries.ts'
import { Blocked } from './schema.ts'

const blocksOneself = apiError(422, 'blocks_oneself', 'You cannot block yourself.', '不能将自己加入黑名单。')

export function blockRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Relations']

  server.post(
    '/user/black/:user',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Block somebody', params: UserParams, response: { 201: Blocked } },
    },
    async (request, reply) => {
      const { id } = viewerOf(request)
      const { user } = request.params
      if (user === id) throw blocksOneself()
      if (!(await insertBlock(sql, id, user))) throw noSuchUser()
      return reply.code(201).send({ message: language(request) === 'zh' ? '已加入黑名单。' : 'Blocked.' })
    },
  )

  server.delete(
    '/user/black/:user',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Unblock somebody', params: UserParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await deleteBlock(sql, viewerOf(request).id, request.params.user))) throw noSuchUser()
      return reply.code(204).send()
    },
  )

  server.get(
    '/user/blacks',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Whom you block, newest first',
        querystring: RelationQuery,
        response: { 200: Type.Array(UserView) },
      },
    },
    async (request) => {
      const { id } = viewerOf(request)
      return userPage(ctx, await listBlockedIds(sql, id, request.query), id)
    },
  )
}
