import { type UserView, userViews } from '#modules/accounts/index.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { type RankType, rankAuthors } from './queries.ts'

/** A ranking is made anew at most this often, whoever asks. */
const KEPT_MS = 10_000

type Ranking = { made: Promise<readonly { user_id: number; count: number }[]> }
const rankings = defineCache<Ranking>('news-ranks', { max: 3, ttlMs: KEPT_MS })

export type RankedAuthor = UserView & { extra: UserView['extra'] & { rank: number; count: number } }

/** A page of the authors whose articles were read most. */
export async function listNewsRanks(
  ctx: Context,
  viewerId: number,
  { type = 'day', limit = 10, offset = 0 }: { type?: RankType; limit?: number; offset?: number },
): Promise<RankedAuthor[]> {
  const cache = rankings(ctx)
  // What is kept is the promise, so that many who ask at once wait for one query.
  const { made } = await cache.get(type, async () => ({
    made: Promise.resolve(rankAuthors(ctx.sql, type)).catch((error) => {
      cache.drop(type)
      throw error
    }),
  }))
  const page = (await made).slice(offset, offset + limit)
  const ids = page.map(({ user_id }) => user_id)
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return page.flatMap(({ user_id, count }, position) => {
    const user = users.get(user_id)
    return user ? [{ ...user, extra: { ...user.extra, rank: offset + position + 1, count } }] : []
  })
}
