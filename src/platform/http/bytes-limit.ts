import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import type { Caller } from '#platform/database/callers.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { addressKey } from './address.ts'
import { limitHeaders } from './admission.ts'

/** Counts requests for bytes by address: the limits of the API do not reach what is outside of it (files-14). */
export const countBytes = (ctx: Context) => async (request: FastifyRequest) => {
  const state = await ctx.limiter.hit(`files:${addressKey(request.ip)}`, ctx.config.rateLimits.files)
  if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
}

/** Whose address work is counted by, and whether they still wait. */
export type Asker = { address: string; caller: Caller | null }

export const askerOf = ({ ip, caller }: FastifyRequest): Asker => ({ address: addressKey(ip), caller })
