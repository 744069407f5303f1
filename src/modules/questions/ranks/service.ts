import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type Ranked, rankAnswerers, rankExperts, rankLiked } from './queries.ts'
import type { Period, RankedUser } from './schema.ts'

export type Ranking = 'likes' | 'experts' | Period
type Kept = { until: number; ranking: Promise<Ranked[]> }

/** A ranking is kept a hundred times as long as it took, so that it never costs more than a hundredth of the time. */
const KEPT_TIMES = 100
const KEPT_MAX_MS = 60_000
const rankings = new WeakMap<object, Map<Ranking, Kept>>()

function rank({ sql }: Context, name: Ranking): Promise<Ranked[]> {
  if (name === 'likes') return rankLiked(sql).execute()
  return (name === 'experts' ? rankExperts(sql) : rankAnswerers(sql, name)).execute()
}

function rankingOf(ctx: Context, name: Ranking): Promise<Ranked[]> {
  const known = rankings.get(ctx.sql) ?? new Map<Ranking, Kept>()
  rankings.set(ctx.sql, known)
  const kept = known.get(name)
  if (kept && Date.now() < kept.until) return kept.ranking
  const started = Date.now()
  // Until it is known how long this one takes, everybody waits for the same.
  const entry: Kept = { until: Number.POSITIVE_INFINITY, ranking: rank(ctx, name) }
  known.set(name, entry)
  entry.ranking.then(
    () => {
      const now = Date.now()
      entry.until = now + Math.min((now - started) * KEPT_TIMES, KEPT_MAX_MS)
    },
    () => known.delete(name),
  )
  return entry.ranking
}

/** A page of a ranking. */
export async function listRanked(
  ctx: Context,
  name: Ranking,
  viewerId: number,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<RankedUser[]> {
  const page = (await rankingOf(ctx, name)).slice(offset, offset + limit)
  const users = await userViews(
    ctx,
    ctx.sql,
    page.map(({ user_id }) => user_id),
    viewerId,
  )
  return page.flatMap(({ user_id, count }, position) => {
    const user = users.get(user_id)
    return user ? [{ ...user, extra: { ...user.extra, rank: offset + position + 1, count } }] : []
  })
}
