import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { addressKey } from '#platform/http/address.ts'
import { limitHeaders } from '#platform/http/admission.ts'

/** Counts requests for bytes by address: the limits of the API do not reach what is outside of it (files-14). */
export const countBytes = (ctx: Context) => async (request: FastifyRequest) => {
  const state = await ctx.limiter.hit(`files:${addressKey(request.ip)}`, ctx.config.rateLimits.files)
  if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
}
