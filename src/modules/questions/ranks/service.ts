import { type RankedRow, withEnabledUser } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { cacheCostly } from '#platform/costly-cache.ts'
import type { Db } from '#platform/database.ts'
import { rankBySums } from '#platform/period-sums.ts'
import type { Period } from '#platform/periods.ts'
import { sendSignal } from '#platform/signals.ts'
import { answersGiven, RANKED, rankExperts, rankLiked } from './queries.ts'

export type Ranking = 'likes' | 'experts' | Period

/** A ranking, found anew at most once a minute. */
export const rankingOf = cacheCostly<Ranking, RankedRow[]>(60_000, ({ sql }, name) => {
  if (name === 'likes') return rankLiked(sql).execute()
  if (name === 'experts') return rankExperts(sql).execute()
  return rankBySums(sql, answersGiven, name, { enabled: withEnabledUser, limit: RANKED })
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
export const announceAnonymity = (tx: Db, userId: number): void => sendSignal(tx, SIGNAL, userId)

/** Makes this node follow what others announce. */
export function followAnonymity(ctx: Context): void {
  ctx.signals.on(SIGNAL, (userId) => leaveRankings(ctx, Number(userId)))
  ctx.signals.onReconnect(() => rankingOf.forget(ctx))
}
