import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, ownAttemptsOf, type Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { wrongCode } from '../errors.ts'
import { bothAccounts, wrongOldPassword } from './errors.ts'
import { PasswordChange, PasswordReset } from './schema.ts'
import { changePassword, resetPassword } from './service.ts'

/** Setting one's password, with the old one or with a code (sign-in-7). */
export function passwordRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('PUT /user/password', {
    operationId: 'changePassword',
    summary: 'Change my password, or set the first one',
    tag: 'Me',
    whileSilenced: true,
    access: 'user',
    body: PasswordChange,
    reply: { 204: Empty },
    errors: [wrongOldPassword],
    handler: (call) => changePassword(ctx, ownAttemptsOf(ctx, call), call.viewer, call.body),
  })

  route('PUT /user/retrieve-password', {
    operationId: 'resetPassword',
    summary: 'Set a new password with a code',
    access: 'public',
    body: PasswordReset,
    reply: { 204: Empty },
    errors: [bothAccounts, wrongCode],
    handler: (call) => resetPassword(ctx, attemptsOf(ctx, call), call.body),
  })
}
