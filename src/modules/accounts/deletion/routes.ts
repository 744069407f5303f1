import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, ownAttemptsOf, type Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { lastFounder } from '../admin/errors.ts'
import { wrongCode } from '../errors.ts'
import { wrongPassword } from '../passwords/errors.ts'
import { PROOF_ERRORS } from '../proofs/errors.ts'
import { Proof } from '../proofs/schema.ts'
import { proveAccount } from '../proofs/service.ts'
import { OUTSIDE_ERRORS } from '../sign-in/errors.ts'
import { SignIn } from '../sign-in/schema.ts'
import { proveOutside } from '../sign-in/service.ts'
import { Deletion } from './schema.ts'
import { askDeletion, keepAccount } from './service.ts'

/** Deleting one's own account (rights-1). */
export function deletionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('DELETE /user', {
    operationId: 'deleteMe',
    summary: 'Delete my account, with a proof that it is mine; signing in again in time takes it back',
    access: 'user',
    whileSilenced: true,
    body: Proof,
    reply: { 202: Deletion },
    errors: [...PROOF_ERRORS, wrongPassword, wrongCode, lastFounder],
    handler: async (call) => {
      const { id } = call.viewer
      const use = await proveAccount(ctx, ownAttemptsOf(ctx, call), id, call.body)
      return { due_at: wireTime(await askDeletion(ctx, id, use)) }
    },
  })

  route('POST /auth/deletions', {
    operationId: 'deleteMeOutside',
    summary: 'Delete my account although I cannot sign in, with what I sign in with',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    example: { login: 'ann', password: 'the password' },
    reply: { 202: Deletion },
    errors: [...OUTSIDE_ERRORS, lastFounder],
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptsOf(ctx, call), call.body)
      return { due_at: wireTime(await askDeletion(ctx, id, hold)) }
    },
  })

  route('DELETE /auth/deletions', {
    operationId: 'keepMeOutside',
    summary: 'Take the deletion of my account back although I cannot sign in',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    reply: { 204: Empty },
    errors: OUTSIDE_ERRORS,
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptsOf(ctx, call), call.body)
      await keepAccount(ctx, id, hold)
    },
  })
}
