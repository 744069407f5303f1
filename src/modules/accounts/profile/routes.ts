import type { Context } from '#platform/context.ts'
import { attemptsOf, type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { Binding, PrivateUser, ProfilePatch, Unbinding } from './schema.ts'
import { bind, unbind, updateProfile } from './service.ts'
import { privateUser } from './view.ts'

const tags = ['Me']
const done = { 204: Empty }

export function profileRoutes(server: Server, ctx: Context) {
  server.get(
    '/user',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'My account', response: { 200: PrivateUser } },
    },
    (request) => privateUser(ctx, viewerOf(request).id),
  )
  server.patch(
    '/user',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Change my profile', body: ProfilePatch, response: done },
    },
    async (request, reply) => {
      await updateProfile(ctx, viewerOf(request).id, request.body)
      return reply.code(204).send()
    },
  )
  server.put(
    '/user',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Bind a phone or e-mail, with a code', body: Binding, response: done },
    },
    async (request, reply) => {
      await bind(ctx, viewerOf(request).id, request.body)
      return reply.code(204).send()
    },
  )
  for (const field of ['phone', 'email'] as const)
    server.delete(
      `/user/${field}`,
      {
        config: { access: 'user' },
        schema: { tags, summary: `Unbind my ${field}`, body: Unbinding, response: done },
      },
      async (request, reply) => {
        await unbind(ctx, attemptsOf(ctx, { request, reply }), viewerOf(request).id, field, request.body)
        return reply.code(204).send()
      },
    )
}
