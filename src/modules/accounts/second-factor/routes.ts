import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { ownAttemptsOf, type Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { wrongCode } from '../errors.ts'
import { wrongPassword } from '../passwords/errors.ts'
import { proofMissing, wrongProof } from '../proofs/errors.ts'
import { Proof } from '../proofs/schema.ts'
import { factorOff, factorOn, wrongFactor } from './errors.ts'
import { findFactor } from './queries.ts'
import { FactorProof, FactorSecret, RecoveryCodes, SecondFactor } from './schema.ts'
import { prepareFactor, renewRecoveryCodes, turnOff, turnOn } from './service.ts'

/** Signing in with a second factor (rights-6). */
export function secondFactorRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/second-factor', {
    operationId: 'getSecondFactor',
    summary: 'Read whether my sign-ins take a second factor',
    access: 'user',
    reply: { 200: SecondFactor },
    handler: async ({ viewer }) => {
      const factor = await findFactor(ctx.sql, viewer.id)
      return { enabled: factor?.confirmed ?? false, recovery_codes: factor?.recovery_codes ?? 0 }
    },
  })

  route('POST /user/second-factor', {
    operationId: 'prepareSecondFactor',
    summary: 'Get a secret for an authenticator app; nothing changes until a code of it proves it',
    access: 'user',
    whileSilenced: true,
    body: Proof,
    reply: { 201: FactorSecret },
    errors: [proofMissing, wrongPassword, wrongProof, wrongCode, factorOn],
    handler: (call) => prepareFactor(ctx, ownAttemptsOf(ctx, call), call.viewer.id, call.body),
  })

  route('PUT /user/second-factor', {
    operationId: 'turnSecondFactorOn',
    summary: 'Turn the second factor on with a code of the app; answers recovery codes, once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 200: RecoveryCodes },
    errors: [wrongFactor, factorOn, factorOff],
    handler: async (call) => ({
      recovery_codes: await turnOn(ctx, ownAttemptsOf(ctx, call), call.viewer.id, call.body.second_factor),
    }),
  })

  route('POST /user/second-factor/recovery-codes', {
    operationId: 'renewRecoveryCodes',
    summary: 'Replace my recovery codes; answers the new ones, once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 201: RecoveryCodes },
    errors: [wrongFactor, factorOff],
    handler: async (call) => ({
      recovery_codes: await renewRecoveryCodes(
        ctx,
        ownAttemptsOf(ctx, call),
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
    handler: (call) => turnOff(ctx, ownAttemptsOf(ctx, call), call.viewer.id, call.body.second_factor),
  })
}
