import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { attemptCounter, Empty, ownAttemptCounter, routesOn, type Server } from '#platform/http'
import { lastFounder } from '../admin/queries.ts'
import { verifyOwnerOrName } from '../identity/owner-proof.ts'
import {
  OUTSIDE_ERRORS,
  OWNER_PROOF_ERRORS,
  OwnerProof,
  SignIn,
  wrongCode,
  wrongPassword,
} from '../identity/schema.ts'
import { proveOutside } from '../identity/sign-in.ts'
import { cancelDeletionOutside, Deletion, scheduleDeletion } from './service.ts'

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
      return { due_at: wireTime(await scheduleDeletion(ctx, call.viewer.id, use)) }
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
      return { due_at: wireTime(await scheduleDeletion(ctx, id, hold)) }
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
      await cancelDeletionOutside(ctx, id, hold)
    },
  })
}
