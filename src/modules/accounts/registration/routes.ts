import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { RegisteredToken, Registration } from './schema.ts'
import { register } from './service.ts'

export function registrationRoutes(server: Server, ctx: Context) {
  server.post(
    '/users',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Register with a code that was sent to a phone or e-mail',
        body: Registration,
        response: { 201: RegisteredToken },
      },
    },
    async (request, reply) => reply.code(201).send(await register(ctx, request.body)),
  )
}
