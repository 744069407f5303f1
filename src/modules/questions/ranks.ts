import { PERIODS, type Period, type PeriodSums, rankByPeriodSums } from '#contracts/period-sums.ts'
import {
  type RankedRow,
  RankedUser,
  RanksQuery,
  rankedUsers,
  withEnabledUser,
} from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { announce, type Db, ifGiven } from '#platform/database'
import { OneOf, routesOn, type Server, Type } from '#platform/http'
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
 * Removes a user from this node's cached rankings, which still count an answer that became anonymous. Call
 * after the commit.
 */
export const leaveRankings = (ctx: Context, userId: number): void =>
  rankingOf.amend(ctx, (ranked, name) =>
    // Keeps the ranking of experts, because incomes do not change.
    name === 'experts' ? ranked : ranked.filter((each) => each.user_id !== userId),
  )

/** Signals every node at the commit to remove the user from its cached rankings. */
export const announceAnonymity = (tx: Db, userId: number): Promise<void> => announce(tx, SIGNAL, [userId])

function followAnonymity(ctx: Context): void {
  ctx.signals.on(SIGNAL, (userId) => leaveRankings(ctx, Number(userId)))
  ctx.signals.onReconnect(() => rankingOf.forget(ctx))
}

const AnswerRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

export function questionRankRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Questions' })
  followAnonymity(ctx)

  route('GET /question-ranks/answers', {
    operationId: 'listAnswererRanks',
    summary: 'Rank people by answers of today, the last week or the last month',
    access: 'optional',
    query: AnswerRanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) =>
      rankedUsers(ctx, await rankingOf(ctx, query.type ?? 'day'), query, viewer.id),
  })

  route('GET /question-ranks/likes', {
    operationId: 'listAnswerLikeRanks',
    summary: 'Rank people by likes of their answers',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'likes'), query, viewer.id),
  })

  route('GET /question-ranks/experts', {
    operationId: 'listExpertRanks',
    summary: 'Rank experts by income',
    access: 'optional',
    query: RanksQuery,
    reply: { 200: Type.Array(RankedUser) },
    handler: async ({ query, viewer }) => rankedUsers(ctx, await rankingOf(ctx, 'experts'), query, viewer.id),
  })
}
