import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { findCollected } from '#modules/collections/index.ts'
import { findLiked } from '#modules/likes/index.ts'
import { findRewarded } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { answerViewCounts, questionViewCounts } from './counters/queries.ts'
import {
  type AnswerRow,
  findAnswerRows,
  findOnlooked,
  findQuestionRows,
  listNewestAnswers,
  type QuestionRow,
} from './queries.ts'
import type { AnswerView, QuestionItem, QuestionView } from './schema.ts'

/** The names of questions and answers on the wire and in tables (R §1.10). */
export const QUESTIONS = 'questions'
export const ANSWERS = 'question-answers'

const bit = (value: boolean) => (value ? 1 : 0)
type Authored = { user_id: number; anonymity: boolean }

/** Whether the author has to stay unknown to this viewer. */
const hides = (row: Authored, viewerId: number) => row.anonymity && row.user_id !== viewerId

/** The people to be shown with rows: not those who are to stay unknown, so that no slip can tell of them. */
const shownPeople = (rows: Authored[], viewerId: number) =>
  rows.filter((row) => !hides(row, viewerId)).map((row) => row.user_id)

type People = Awaited<ReturnType<typeof userViews>>

const author = (row: Authored, viewerId: number, people: People) =>
  hides(row, viewerId) ? { user_id: 0 } : { user_id: row.user_id, user: people.get(row.user_id) ?? null }

const questionView = (ctx: Context, row: QuestionRow, viewerId: number, people: People): QuestionView => ({
  id: row.id,
  subject: row.subject,
  body: row.body,
  text_body: row.text_body,
  anonymity: bit(row.anonymity),
  amount: row.amount,
  automaticity: bit(row.automaticity),
  look: bit(row.look),
  excellent: bit(row.excellent),
  status: row.status,
  comments_count: row.comments_count,
  answers_count: row.answers_count,
  watchers_count: row.watchers_count,
  likes_count: row.likes_count,
  views_count: row.views_count + questionViewCounts(ctx).pending(row.id),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  ...author(row, viewerId, people),
})

/** Questions in the order of the rows; `sql` is an open transaction where there is one. */
export async function questionViews(
  ctx: Context,
  rows: QuestionRow[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<QuestionView[]> {
  const people = await userViews(ctx, sql, shownPeople(rows, viewerId), viewerId)
  return rows.map((row) => questionView(ctx, row, viewerId, people))
}

/** Only the answer of who was invited is looked at for points, not by its author and not by the asker (R §7, §19.5). */
const isForPay = (row: AnswerRow) => row.look && row.invited
const isExempt = (row: AnswerRow, viewerId: number) => viewerId === row.user_id || viewerId === row.asker_id

/** Answers in the order of the rows, with what the viewer did to them, and without the text they have to pay for. */
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
  const given = rows.filter((row) => row.rewarder_count > 0).map(({ id }) => id)
  const [people, likes, collections, onlooked, rewarded] = await Promise.all([
    userViews(ctx, sql, shownPeople(rows, viewerId), viewerId),
    findLiked(sql, ANSWERS, liked, viewerId),
    findCollected(sql, ANSWERS, ids, viewerId),
    findOnlooked(sql, forPay, viewerId),
    findRewarded(sql, ANSWERS, given, viewerId),
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

/** Questions as lists show them, with the newest answer of each. */
export async function questionItems(
  ctx: Context,
  rows: QuestionRow[],
  viewerId: number,
): Promise<QuestionItem[]> {
  const answered = rows.filter((row) => row.answers_count > 0).map(({ id }) => id)
  const [questions, answers] = await Promise.all([
    questionViews(ctx, rows, viewerId),
    answered.length === 0
      ? []
      : listNewestAnswers(ctx.sql, answered).then((newest) => answerViews(ctx, newest, viewerId)),
  ])
  const answerOf = new Map(answers.map((answer) => [answer.question_id, answer]))
  return questions.map((question) => ({ ...question, answer: answerOf.get(question.id) ?? null }))
}

const byId = <View extends { id: number }>(views: View[]) => new Map(views.map((view) => [view.id, view]))

/** Questions by id, for lists that point to them. */
export const questionsById = async (ctx: Context, ids: number[], viewerId: number) =>
  byId(ids.length === 0 ? [] : await questionViews(ctx, await findQuestionRows(ctx.sql, ids), viewerId))

/** Answers by id, for lists that point to them. */
export const answersById = async (ctx: Context, ids: number[], viewerId: number) =>
  byId(ids.length === 0 ? [] : await answerViews(ctx, await findAnswerRows(ctx.sql, ids), viewerId))

/** Questions for moderators: with who asked, anonymously or not, and what became of the bounty. */
export async function questionRecords(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findQuestionRows(ctx.sql, ids)
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )
  return rows.map((row) => ({
    ...questionView(ctx, row, viewerId, people),
    bounty: row.bounty,
    user_id: row.user_id,
    user: people.get(row.user_id) ?? null,
  }))
}

/** Answers for moderators: with author and text, whatever is hidden or paid for. */
export async function answerRecords(ctx: Context, ids: number[], viewerId: number) {
  const rows = ids.length === 0 ? [] : await findAnswerRows(ctx.sql, ids)
  const [views, people] = await Promise.all([
    answerViews(ctx, rows, viewerId),
    userViews(
      ctx,
      ctx.sql,
      rows.map((row) => row.user_id),
      viewerId,
    ),
  ])
  return views.map(({ could: _, ...view }, index) => {
    const { user_id, body, text_body } = rows[index]!
    return { ...view, user_id, body, text_body, user: people.get(user_id) ?? null }
  })
}
