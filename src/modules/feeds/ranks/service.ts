import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { rankAuthors } from './queries.ts'
import type { RankedUser, RankType } from './schema.ts'

type Ranking = { user_id: number; count: number }[]
type Kept = { until: number; ranking: Promise<Ranking> }

/** A ranking is kept a hundred times as long as it took, so that it never costs more than a hundredth of the time. */
const KEPT_TIMES = 100
const KEPT_MAX_MS = 60_000
const rankings = new WeakMap<object, Map<RankType, Kept>>()

function rankingOf({ sql }: Context, type: RankType): Promise<Ranking> {
  const known = rankings.get(sql) ?? new Map<RankType, Kept>()
  rankings.set(sql, known)
  const kept = known.get(type)
  if (kept && Date.now() < kept.until) return kept.ranking
  const started = Date.now()
  // Until it is known how long this one takes, everybody waits for the same.
  const entry: Kept = { until: Number.POSITIVE_INFINITY, ranking: rankAuthors(sql, type) }
  known.set(type, entry)
  entry.ranking.then(
    () => {
      const now = Date.now()
      entry.until = now + Math.min((now - started) * KEPT_TIMES, KEPT_MAX_MS)
    },
    () => known.delete(type),
  )
  return entry.ranking
}

/** A page of the authors who received most likes. */
export async function listRanks(
  ctx: Context,
  viewerId: number,
  { type = 'day', limit = 10, offset = 0 }: { type?: RankType; limit?: number; offset?: number },
): Promise<RankedUser[]> {
  const ranking = await rankingOf(ctx, type)
  const page = ranking.slice(offset, offset + limit)
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
