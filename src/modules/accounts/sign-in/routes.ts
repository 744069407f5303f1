import type { FastifyRequest } from 'fastify'
import { refreshToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { unauthenticated } from '#platform/errors.ts'
import {
  attemptCounter,
  bearerToken,
  deviceOf,
  localizedMessage,
  routesOn,
  type Server,
} from '#platform/http'
import { accountWaiting } from '../requests/errors.ts'
import { accountSuspended } from '../sanctions/schema.ts'
import { wrongCode } from '../schema.ts'
import { FACTOR_ERRORS } from '../second-factor/schema.ts'
import { accountDisabled, SignedOut, SignIn, TokenInput, TokenView, wrongSignIn } from './schema.ts'
import { signIn, signOut } from './service.ts'

/** Token from header, query or body. It may be expired, so the request has no viewer (sign-in-5). */
const presented = (request: FastifyRequest): string | undefined =>
  bearerToken(request) ?? (request.body as { token?: string } | undefined)?.token

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
    handler: (call) => signIn(ctx, attemptCounter(ctx, call), call.body, deviceOf(call.request)),
  })

  // Existing clients call these two with any method (sign-in-5). New ones should use POST.
  for (const [verb, name] of [
    ['GET', 'ByGet'],
    ['POST', ''],
    ['PUT', 'ByPut'],
    ['PATCH', 'ByPatch'],
    ['DELETE', 'ByDelete'],
  ] as const) {
    const input = {
      ...(verb === 'GET' ? { query: TokenInput } : { body: TokenInput }),
    }
    route(`${verb} /auth/refresh`, {
      ...input,
      operationId: `refreshToken${name}`,
      ...(name === '' ? {} : { aliasOf: 'refreshToken' }),
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
      ...(name === '' ? {} : { aliasOf: 'signOut' }),
      summary: 'Sign out',
      access: 'public',
      reply: { 200: SignedOut },
      handler: async ({ request }) => {
        await signOut(ctx, presented(request))
        return { message: localizedMessage(request, 'Signed out.', '已退出登录。').message[0] ?? '' }
      },
    })
  }
}
