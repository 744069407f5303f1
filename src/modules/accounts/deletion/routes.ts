import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { attemptCounter, Empty, ownAttemptCounter, routesOn, type Server } from '#platform/http'
import { lastFounder } from '../admin/schema.ts'
import { OWNER_PROOF_ERRORS, OwnerProof } from '../owner-proof/schema.ts'
import { verifyOwnerOrName } from '../owner-proof/service.ts'
import { wrongPassword } from '../passwords/schema.ts'
import { wrongCode } from '../schema.ts'
import { OUTSIDE_ERRORS, SignIn } from '../sign-in/schema.ts'
import { proveOutside } from '../sign-in/service.ts'
import { askDeletion, Deletion, keepAccount } from './service.ts'

/** Deletion of the viewer's account (rights-1). */
export function deletionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('DELETE /user', {
    operationId: 'deleteMe',
    summary:
      'Schedule deletion of my account with a proof of ownership; signing in within the grace period cancels it',
    access: 'user',
    whileSilenced: true,
    body: OwnerProof,
    reply: { 202: Deletion },
    errors: [...OWNER_PROOF_ERRORS, wrongPassword, wrongCode, lastFounder],
    handler: async (call) => {
      const use = await verifyOwnerOrName(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body)
      return { due_at: wireTime(await askDeletion(ctx, call.viewer.id, use)) }
    },
  })

  route('POST /auth/deletions', {
    operationId: 'deleteMeOutside',
    summary: 'Delete my suspended account with login and password',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    example: { login: 'ann', password: 'the password' },
    reply: { 202: Deletion },
    errors: [...OUTSIDE_ERRORS, lastFounder],
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptCounter(ctx, call), call.body)
      return { due_at: wireTime(await askDeletion(ctx, id, hold)) }
    },
  })

  route('DELETE /auth/deletions', {
    operationId: 'keepMeOutside',
    summary: 'Cancel the deletion of my suspended account',
    tag: 'Accounts',
    access: 'public',
    body: SignIn,
    reply: { 204: Empty },
    errors: OUTSIDE_ERRORS,
    handler: async (call) => {
      const { id, hold } = await proveOutside(ctx, attemptCounter(ctx, call), call.body)
      await keepAccount(ctx, id, hold)
    },
  })
}
