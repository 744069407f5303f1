import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { addressKey } from '#platform/http/address.ts'
import { limitHeaders, tellRate } from '#platform/http/admission.ts'
import { viewerOf } from '#platform/http/viewer.ts'

/** The request that is answered. The call of a route is one. */
type Exchange = { request: FastifyRequest; reply: FastifyReply }

/**
 * Counts one attempt against the tighter limit of sign-in, codes and password checks (conventions-13): 429 beyond it.
 * What services take, so that they need not know the request.
 */
export type CountAttempt = () => Promise<void>

type Limits = Pick<Context, 'config' | 'limiter'>

/** How what anybody can try is counted: by the address, and by further keys such as `phones:7`. */
export const attemptsOf = (ctx: Limits, call: Exchange, ...keys: string[]): CountAttempt =>
  counted(ctx, call, [...keys, `ip:${addressKey(call.request.ip)}`])

/**
 * How the checks of the own password of somebody who is signed in are counted: by the person alone. What strangers try on
 * the account, or from the same address, leaves them as they are.
 */
export const ownAttemptsOf = (ctx: Limits, call: Exchange): CountAttempt =>
  counted(ctx, call, [`own:${viewerOf(call.request).id}`])

/** Counts under each key; the reply's rate headers then speak of the tightest limit. */
function counted({ config, limiter }: Limits, { request, reply }: Exchange, keys: string[]): CountAttempt {
  return async () => {
    for (const key of keys) {
      const state = await limiter.hit(`sensitive:${key}`, config.rateLimits.sensitive)
      if (!request.rate || state.remaining < request.rate.remaining || state.exceeded) tellRate(reply, state)
      if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
    }
  }
}

/** Who pays, and the payment password (conventions-29) as the body has it, valid or not. */
export type Payer = { id: number; password: unknown; countAttempt: CountAttempt }

/** The payer of a request of somebody who is signed in. */
export function payerOf(ctx: Limits, call: Exchange): Payer {
  const { password } = (call.request.body ?? {}) as { password?: unknown }
  return { id: viewerOf(call.request).id, password, countAttempt: ownAttemptsOf(ctx, call) }
}
