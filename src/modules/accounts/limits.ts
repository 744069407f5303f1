import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { type CountAttempt, rateLimitHeaders } from '#platform/http'

/**
 * Attempts on one account from all addresses together, as a multiple of the limit per address. An attacker
 * needs that many addresses to lock the owner out, and gets no further guesses than this.
 */
const ADDRESSES = 20

/**
 * Counts an attempt on an account: per address, which the headers report, and with a far larger limit per
 * given login and per user. The headers omit these two, because they would reveal that a phone and a name
 * belong together.
 */
export async function limitAttempts(
  ctx: Context,
  countAttempt: CountAttempt,
  account: string,
  userId: number | undefined,
): Promise<void> {
  await countAttempt()
  const { sensitive } = ctx.config.rateLimits
  if (sensitive === 0) return
  const keys = [`account:${account}`, ...(userId === undefined ? [] : [`user:${userId}`])]
  for (const key of keys) {
    const state = await ctx.limiter.hit(`sensitive:${key}`, sensitive * ADDRESSES)
    if (state.exceeded) throw tooManyRequests({ headers: rateLimitHeaders(state) })
  }
}
