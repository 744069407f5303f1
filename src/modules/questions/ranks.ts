import { type Period, type PeriodSums, type RankedRow, rankByPeriodSums } from '#contracts/period-sums.ts'
import { mountRanking, withEnabledUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { announce, type Db, ifGiven } from '#platform/database'
import type { Server } from '#platform/http'
import { cacheCostly } from '#platform/memory'
import { ANSWERS_GIVEN } from './queries.ts'

const RANKED = 1000

export const answersGiven: PeriodSums = {
  ranking: ANSWERS_GIVEN,
  counted: (sql, from, before) => sql`
    select a.user_id, 1 as n from answers a
    where a.created_at >= ${from} ${ifGiven(sql, before, (end) => sql`and a.created_at < ${end}`)} and not a.anonymity`,
}

const rankLiked = (sql: Db) => sql<RankedRow[]>`
  select x.user_id, x.likes_count as count from question_people x ${withEnabledUser(sql, sql`x.user_id`)}
  where x.likes_count > 0
  order by x.likes_count desc, x.user_id limit ${RANKED}`

/** Ranks experts by income from answers in their topics. */
const rankExperts = (sql: Db) => sql<RankedRow[]>`
  select x.user_id, x.income as count from question_people x ${withEnabledUser(sql, sql`x.user_id`)}
  where exists (select from question_topic_experts e where e.user_id = x.user_id)
  order by x.income desc, x.user_id limit ${RANKED}`

export type Ranking = 'likes' | 'experts' | Period

const rankingOf = cacheCostly<Ranking, RankedRow[]>(60_000, ({ sql }, name) => {
  if (name === 'likes') return rankLiked(sql).execute()
  if (name === 'experts') return rankExperts(sql).execute()
  return rankByPeriodSums(sql, answersGiven, name, { enabled: withEnabledUser, limit: RANKED })
})

const SIGNAL = 'question-ranks'

/**
 * Removes a user whose answer became anonymous from the rankings that this process caches. Call after the
 * commit.
 */
export const leaveRankings = (ctx: Context, userId: number): void =>
  rankingOf.amend(ctx, (ranked, name) =>
    // Keeps the user in the ranking of experts, because a change of anonymity changes no income.
    name === 'experts' ? ranked : ranked.filter((each) => each.user_id !== userId),
  )

/** Signals every process at the commit to remove the user from its cached rankings. */
export const announceAnonymity = (tx: Db, userId: number): Promise<void> => announce(tx, SIGNAL, [userId])

function followAnonymity(ctx: Context): void {
  ctx.signals.on(SIGNAL, (userId) => leaveRankings(ctx, Number(userId)))
  ctx.signals.onReconnect(() => rankingOf.forget(ctx))
}

export function questionRankRoutes(server: Server, ctx: Context) {
  followAnonymity(ctx)

  mountRanking(server, ctx, '/question-ranks/answers', {
    tag: 'Questions',
    operationId: 'listAnswererRanks',
    summary: 'Rank people by answers of today, the last week or the last month',
    byPeriod: true,
    rankingOf,
  })

  mountRanking(server, ctx, '/question-ranks/likes', {
    tag: 'Questions',
    operationId: 'listAnswerLikeRanks',
    summary: 'Rank people by likes of their answers',
    rankingOf: () => rankingOf(ctx, 'likes'),
  })

  mountRanking(server, ctx, '/question-ranks/experts', {
    tag: 'Questions',
    operationId: 'listExpertRanks',
    summary: 'Rank experts by income',
    rankingOf: () => rankingOf(ctx, 'experts'),
  })
}
