import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { type CountAttempt, limitHeaders } from '#platform/http.ts'

/**
 * How many times the limit of an address one account takes from all addresses together: whoever locks its owner out needs
 * as many addresses, and whoever guesses its password from many gets no further than this.
 */
const ADDRESSES = 20

/**
 * Counts an attempt on an account from outside: by the address, which the headers report, and with a far larger limit by
 * the name that was given and by the person, whom one reaches by name, id, phone and e-mail. The headers are silent about
 * these, because they would tell which phone belongs to which name.
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
    if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
  }
}
