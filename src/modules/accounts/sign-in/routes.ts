import type { FastifyRequest } from 'fastify'
import { refreshToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { unauthenticated } from '#platform/errors.ts'
import { deviceOf } from '#platform/http/device.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, bearerToken, type Server, say } from '#platform/http.ts'
import { wrongCode } from '../errors.ts'
import { accountWaiting } from '../requests/errors.ts'
import { accountSuspended } from '../sanctions/errors.ts'
import { FACTOR_ERRORS } from '../second-factor/errors.ts'
import { accountDisabled, wrongSignIn } from './errors.ts'
import { SignedOut, SignIn, TokenInput, TokenView } from './schema.ts'
import { signIn, signOut } from './service.ts'

/** Header, query or body: a token beyond its hour, too, so the viewer of the request is of no use here (sign-in-5). */
const presented = (request: FastifyRequest): string | undefined =>
  bearerToken(request) ?? (request.body as { token?: string } | undefined)?.token

/** Signing in, exchanging a token, and signing out. */
export function signInRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('POST /auth/login', {
    operationId: 'signIn',
    summary: 'Sign in with a password or a code',
    access: 'public',
    body: SignIn,
    example: { login: 'root', password: 'the password' },
    reply: { 200: TokenView },
    errors: [wrongSignIn, wrongCode, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    handler: (call) => signIn(ctx, attemptsOf(ctx, call), call.body, deviceOf(call.request)),
  })

  // Existing clients use any verb on these two (sign-in-5). POST is the one to use.
  for (const [verb, name] of [
    ['GET', 'ByGet'],
    ['POST', ''],
    ['PUT', 'ByPut'],
    ['PATCH', 'ByPatch'],
    ['DELETE', 'ByDelete'],
  ] as const) {
    const input = {
      ...(verb === 'GET' ? { query: TokenInput } : { body: TokenInput }),
      ...(name === '' ? {} : { deprecated: true as const }),
    }
    route(`${verb} /auth/refresh`, {
      ...input,
      operationId: `refreshToken${name}`,
      summary: 'Exchange a token, expired or not, for a new one',
      access: 'public',
      reply: { 200: TokenView },
      handler: ({ request }) => {
        const token = presented(request)
        if (token === undefined) throw unauthenticated()
        return refreshToken(ctx, token, deviceOf(request))
      },
    })
    route(`${verb} /auth/logout`, {
      ...input,
      operationId: `signOut${name}`,
      summary: 'Sign out',
      access: 'public',
      reply: { 200: SignedOut },
      handler: async ({ request }) => {
        await signOut(ctx, presented(request))
        return { message: say(request, 'Signed out.', '已退出登录。').message[0] ?? '' }
      },
    })
  }
}
