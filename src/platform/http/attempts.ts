import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { addressKey } from '#platform/http/address.ts'
import { limitHeaders, tellRate } from '#platform/http/admission.ts'
import { viewerOf } from '#platform/http/viewer.ts'

/** The request that is answered. The call of a route is one. */
type Exchange = { request: FastifyRequest; reply: FastifyReply }

/**
 * Counts one attempt against the tighter limit of sign-in, codes and password checks (conventions-13): for each key, such
 * as `user:7`, and for the address. 429 beyond it. What services take, so that they need not know the request.
 */
export type CountAttempt = (...keys: string[]) => Promise<void>

/** How attempts of a request are counted; the reply's rate headers then speak of the tightest limit. */
export function attemptsOf(
  { config, limiter }: Pick<Context, 'config' | 'limiter'>,
  { request, reply }: Exchange,
): CountAttempt {
  return async (...keys) => {
    if (config.rateLimits.sensitive === 0) return
    for (const key of [...keys, `ip:${addressKey(request.ip)}`]) {
      const state = await limiter.hit(`sensitive:${key}`, config.rateLimits.sensitive)
      if (!request.rate || state.remaining < request.rate.remaining || state.exceeded) tellRate(reply, state)
      if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
    }
  }
}

/** Who pays, and the payment password (conventions-29) as the body has it, valid or not. */
export type Payer = { id: number; password: unknown; countAttempt: CountAttempt }

/** The payer of a request of somebody who is signed in. */
export function payerOf(ctx: Pick<Context, 'config' | 'limiter'>, call: Exchange): Payer {
  const { password } = (call.request.body ?? {}) as { password?: unknown }
  return { id: viewerOf(call.request).id, password, countAttempt: attemptsOf(ctx, call) }
}
