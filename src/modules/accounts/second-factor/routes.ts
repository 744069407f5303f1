import type { Context } from '#platform/context.ts'
import { Empty, ownAttemptCounter, routesOn, type Server } from '#platform/http'
import { OwnerProof, proofMissing, signInAgain, wrongProof } from '../owner-proof/schema.ts'
import { wrongPassword } from '../passwords/schema.ts'
import { wrongCode } from '../schema.ts'
import { findFactor } from './queries.ts'
import {
  FactorProof,
  FactorSecret,
  factorOff,
  factorOn,
  RecoveryCodes,
  SecondFactor,
  wrongFactor,
} from './schema.ts'
import { prepareFactor, renewRecoveryCodes, turnOff, turnOn } from './service.ts'

/** Two-factor authentication (rights-6). */
export function secondFactorRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/second-factor', {
    operationId: 'getSecondFactor',
    summary: 'Read whether I use a second factor',
    access: 'user',
    reply: { 200: SecondFactor },
    handler: async ({ viewer }) => {
      const factor = await findFactor(ctx.sql, viewer.id)
      return { enabled: factor?.confirmed ?? false, recovery_codes: factor?.recovery_codes ?? 0 }
    },
  })

  route('POST /user/second-factor', {
    operationId: 'prepareSecondFactor',
    summary: 'Create a secret for an authenticator app; it takes effect once a code confirms it',
    access: 'user',
    whileSilenced: true,
    body: OwnerProof,
    reply: { 201: FactorSecret },
    errors: [proofMissing, wrongPassword, wrongProof, wrongCode, signInAgain, factorOn],
    handler: (call) => prepareFactor(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body),
  })

  route('PUT /user/second-factor', {
    operationId: 'turnSecondFactorOn',
    summary: 'Enable the second factor with a code; returns recovery codes once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 200: RecoveryCodes },
    errors: [wrongFactor, factorOn, factorOff],
    handler: async (call) => ({
      recovery_codes: await turnOn(
        ctx,
        ownAttemptCounter(ctx, call),
        call.viewer.id,
        call.body.second_factor,
      ),
    }),
  })

  route('POST /user/second-factor/recovery-codes', {
    operationId: 'renewRecoveryCodes',
    summary: 'Replace my recovery codes; returns the new ones once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 201: RecoveryCodes },
    errors: [wrongFactor, factorOff],
    handler: async (call) => ({
      recovery_codes: await renewRecoveryCodes(
        ctx,
        ownAttemptCounter(ctx, call),
        call.viewer.id,
        call.body.second_factor,
      ),
    }),
  })

  route('DELETE /user/second-factor', {
    operationId: 'turnSecondFactorOff',
    summary: 'Turn the second factor off, with a code',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 204: Empty },
    errors: [wrongFactor, factorOff],
    handler: (call) => turnOff(ctx, ownAttemptCounter(ctx, call), call.viewer.id, call.body.second_factor),
  })
}
