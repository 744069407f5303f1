import { wireTime } from '#lib/time.ts'
import { findCollected } from '#modules/collections/index.ts'
import { findLiked } from '#modules/likes/index.ts'
import { findRewarded } from '#modules/rewards/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { author, shownPeople } from '../anonymity.ts'
import { answerViewCounts } from '../counters.ts'
import { ANSWERS, type AnswerView, bit } from '../schema.ts'
import { type AnswerRow, findAnswerRows, findPaidViews } from './queries.ts'

/**
 * Only an invited answer to a question with paid views costs points. Its author and the asker view it for free
 * (questions-13).
 */
export const isForPay = (row: AnswerRow) => row.look && row.invited

const isExempt = (row: AnswerRow, viewerId: number) => viewerId === row.user_id || viewerId === row.asker_id

/** Loads answers with flags of the viewer, without texts that the viewer has not paid for. */
export async function answerViews(
  ctx: Context,
  rows: AnswerRow[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<AnswerView[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const forPay = rows.filter((row) => isForPay(row) && !isExempt(row, viewerId)).map(({ id }) => id)
  const liked = rows.filter((row) => row.likes_count > 0).map(({ id }) => id)
  const withRewards = rows.filter((row) => row.rewarder_count > 0).map(({ id }) => id)
  const [people, likes, collections, onlooked, rewarded] = await Promise.all([
    userViews(ctx, sql, shownPeople(rows, viewerId), viewerId),
    findLiked(sql, ANSWERS, liked, viewerId),
    findCollected(sql, ANSWERS, ids, viewerId),
    findPaidViews(sql, forPay, viewerId),
    findRewarded(sql, ANSWERS, withRewards, viewerId),
  ])
  return rows.map((row) => {
    const could = !forPay.includes(row.id) || onlooked.has(row.id)
    return {
      id: row.id,
      question_id: row.question_id,
      body: could ? row.body : null,
      text_body: could ? row.text_body : null,
      anonymity: bit(row.anonymity),
      adoption: bit(row.adoption),
      invited: bit(row.invited),
      comments_count: row.comments_count,
      rewards_amount: row.rewards_amount,
      rewarder_count: row.rewarder_count,
      likes_count: row.likes_count,
      views_count: row.views_count + answerViewCounts(ctx).pending(row.id),
      onlookers_count: row.onlookers_count,
      onlookers_total: row.onlookers_total,
      created_at: wireTime(row.created_at),
      updated_at: wireTime(row.updated_at),
      liked: likes.has(row.id),
      collected: collections.has(row.id),
      rewarded: rewarded.has(row.id),
      ...(isForPay(row) ? { could } : {}),
      ...author(row, viewerId, people),
    }
  })
}

export const byId = <View extends { id: number }>(views: View[]) =>
  new Map(views.map((view) => [view.id, view]))

export const answersById = async (ctx: Context, ids: number[], viewerId: number) =>
  byId(ids.length === 0 ? [] : await answerViews(ctx, await findAnswerRows(ctx.sql, ids), viewerId))
