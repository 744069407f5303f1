import type { Context } from '#platform/context.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { type CountAttempt, limitHeaders } from '#platform/http.ts'

/**
 * Counts an attempt on an account from outside: by the name that was given, which the headers report, and by the
 * person, whom one reaches by name, id, phone and e-mail. The headers are silent about the latter, because they would
 * tell which phone belongs to which name.
 */
export async function limitAttempts(
  ctx: Context,
  countAttempt: CountAttempt,
  account: string,
  userId: number | undefined,
): Promise<void> {
  await countAttempt(`account:${account}`)
  if (userId === undefined || ctx.config.rateLimits.sensitive === 0) return
  const state = await ctx.limiter.hit(`sensitive:user:${userId}`, ctx.config.rateLimits.sensitive)
  if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
}
