import type { FastifyRequest } from 'fastify'
import { refreshToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { unauthenticated } from '#platform/errors.ts'
import { attemptsOf, bearerToken, type Server, say } from '#platform/http.ts'
import { SignedOut, SignIn, TokenInput, TokenView } from './schema.ts'
import { signIn, signOut } from './service.ts'

/** Header, query or body (R §1.3): a token beyond its hour, too, so the viewer of the request is of no use here. */
const presented = (request: FastifyRequest): string | undefined =>
  bearerToken(request) ?? (request.body as { token?: string } | undefined)?.token

export function signInRoutes(server: Server, ctx: Context) {
  server.post(
    '/auth/login',
    {
      config: { access: 'public' },
      schema: { tags: ['Sign-in'], summary: 'Sign in', body: SignIn, response: { 200: TokenView } },
    },
    (request, reply) => signIn(ctx, attemptsOf(ctx, { request, reply }), request.body),
  )

  const refresh = (request: FastifyRequest) => {
    const token = presented(request)
    if (token === undefined) throw unauthenticated()
    return refreshToken(ctx, token)
  }
  const logout = async (request: FastifyRequest) => {
    await signOut(ctx, presented(request))
    return { message: say(request, 'Signed out.', '已退出登录。').message[0] ?? '' }
  }
  // Existing clients use any verb on these two (R §12.1).
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const input = method === 'GET' ? { querystring: TokenInput } : { body: TokenInput }
    server.route({
      method,
      url: '/auth/refresh',
      config: { access: 'public' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Exchange a token, expired or not, for a new one',
        ...input,
        response: { 200: TokenView },
      },
      handler: refresh,
    })
    server.route({
      method,
      url: '/auth/logout',
      config: { access: 'public' },
      schema: { tags: ['Sign-in'], summary: 'Sign out', ...input, response: { 200: SignedOut } },
      handler: logout,
    })
  }
}
