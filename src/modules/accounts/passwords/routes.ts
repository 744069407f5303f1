import type { Context } from '#platform/context.ts'
import { attemptCounter, Empty, ownAttemptCounter, routesOn, type Server } from '#platform/http'
import { signInAgain } from '../owner-proof/schema.ts'
import { wrongCode } from '../schema.ts'
import { bothAccounts, PasswordChange, PasswordReset, proofOfFirst, wrongOldPassword } from './schema.ts'
import { changePassword, type DeleteLinks, resetPassword } from './service.ts'

/** Password changes, with the old password or a code (sign-in-7). */
export const passwordRoutes = (deleteLinks: DeleteLinks) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('PUT /user/password', {
    operationId: 'changePassword',
    summary: 'Change my password, or set the first one',
    tag: 'Me',
    whileSilenced: true,
    access: 'user',
    body: PasswordChange,
    reply: { 204: Empty },
    errors: [wrongOldPassword, proofOfFirst, wrongCode, signInAgain],
    handler: (call) => changePassword(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body, deleteLinks),
  })

  route('PUT /user/retrieve-password', {
    operationId: 'resetPassword',
    summary: 'Set a new password with a code',
    access: 'public',
    body: PasswordReset,
    reply: { 204: Empty },
    errors: [bothAccounts, wrongCode],
    handler: (call) => resetPassword(ctx, attemptCounter(ctx, call), call.body, deleteLinks),
  })
}
