import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import type { Db } from '#platform/database.ts'
import { sendSignal } from '#platform/signals.ts'
import { type Ranked, rankAnswerers, rankExperts, rankLiked } from './queries.ts'
import type { Period, RankedUser } from './schema.ts'

export type Ranking = 'likes' | 'experts' | Period

const rankingOf = cacheCostly<Ranking, Ranked[]>(60_000, ({ sql }, name) => {
  if (name === 'likes') return rankLiked(sql).execute()
  return (name === 'experts' ? rankExperts(sql) : rankAnswerers(sql, name)).execute()
})

const SIGNAL = 'question-ranks'

/**
 * Takes a person out of the rankings that this node keeps: an answer of theirs has become anonymous, and what was found
 * before names them for it. They are back with what is found next. Called after the commit; other nodes are told.
 */
export const leaveRankings = (ctx: Context, userId: number): void =>
  rankingOf.amend(ctx, (ranked, name) =>
    // What experts earned stays theirs.
    name === 'experts' ? ranked : ranked.filter((each) => each.user_id !== userId),
  )

/** Tells every node, when the transaction commits, to take this person out of its rankings. */
export const announceAnonymity = (tx: Db, userId: number): Promise<void> => sendSignal(tx, SIGNAL, userId)

/** Makes this node follow what others announce. */
export function followAnonymity(ctx: Context): void {
  ctx.signals.on(SIGNAL, (userId) => leaveRankings(ctx, Number(userId)))
  ctx.signals.onReconnect(() => rankingOf.forget(ctx))
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
