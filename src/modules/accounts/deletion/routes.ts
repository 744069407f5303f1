import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { ownAttemptsOf, type Server } from '#platform/http.ts'
import { lastFounder } from '../admin/errors.ts'
import { wrongCode } from '../errors.ts'
import { wrongPassword } from '../passwords/errors.ts'
import { proofMissing, wrongProof } from './errors.ts'
import { Deletion, Proof } from './schema.ts'
import { askDeletion } from './service.ts'

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
    errors: [proofMissing, wrongPassword, wrongProof, wrongCode, lastFounder],
    handler: async (call) => {
      const dueAt = await askDeletion(ctx, ownAttemptsOf(ctx, call), call.viewer, call.body)
      return { due_at: wireTime(dueAt) }
    },
  })
}
