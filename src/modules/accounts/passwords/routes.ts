import type { Context } from '#platform/context.ts'
import { attemptsOf, type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { PasswordChange, PasswordReset } from './schema.ts'
import { changePassword, resetPassword } from './service.ts'

export function passwordRoutes(server: Server, ctx: Context) {
  server.put(
    '/user/password',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Me'],
        summary: 'Change my password, or set the first one',
        body: PasswordChange,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await changePassword(ctx, attemptsOf(ctx, { request, reply }), viewerOf(request), request.body)
      return reply.code(204).send()
    },
  )
  server.put(
    '/user/retrieve-password',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Set a new password with a code',
        body: PasswordReset,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await resetPassword(ctx, attemptsOf(ctx, { request, reply }), request.body)
      return reply.code(204).send()
    },
  )
}
