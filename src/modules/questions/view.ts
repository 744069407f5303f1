import type { Content, ContentReader, Target } from '#contracts/content.ts'
import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { author, shownPeople, type Users } from './anonymity.ts'
import {
  findAnonymousAnswers,
  findAnswerTarget,
  findExistingAnswers,
  findReadableAnswers,
  listNewestAnswers,
} from './answers/queries.ts'
import { answersById, answerViews, byId } from './answers/view.ts'
import { questionViewCounts } from './counters.ts'
import {
  findAnonymousQuestions,
  findExistingQuestions,
  findQuestionRows,
  findQuestionTarget,
  type QuestionRow,
} from './queries.ts'
import { ANSWERS, bit, QUESTIONS, type QuestionItem, type QuestionView } from './schema.ts'

export const questionView = (
  ctx: Context,
  row: QuestionRow,
  viewerId: number,
  people: Users,
): QuestionView => ({
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

export async function questionViews(
  ctx: Context,
  rows: QuestionRow[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<QuestionView[]> {
  const people = await userViews(ctx, sql, shownPeople(rows, viewerId), viewerId)
  return rows.map((row) => questionView(ctx, row, viewerId, people))
}

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

export const questionsById = async (ctx: Context, ids: number[], viewerId: number) =>
  byId(ids.length === 0 ? [] : await questionViews(ctx, await findQuestionRows(ctx.sql, ids), viewerId))

export const questionContent: Content = {
  type: QUESTIONS,
  param: 'question',
  noun: 'Question',
  tag: 'Questions',
  find: findQuestionTarget,
  live: (sql, id) => sql`select id from questions where id = ${id}`,
}

export const answerContent: Content = {
  type: ANSWERS,
  param: 'answer',
  noun: 'Answer',
  tag: 'Answers',
  find: findAnswerTarget,
  live: (sql, id) => sql`select id, anonymity as hidden from answers where id = ${id}`,
  anonymous: true,
}

const openAuthor = (target: Target | undefined) => (target?.hidden ? undefined : target?.ownerId)

export const questionReader: ContentReader = {
  visible: findExistingQuestions,
  views: questionsById,
  anonymous: findAnonymousQuestions,
  author: async (sql, id) => openAuthor(await findQuestionTarget(sql, id)),
}

export const answerReader: ContentReader = {
  visible: findExistingAnswers,
  readable: findReadableAnswers,
  views: answersById,
  anonymous: findAnonymousAnswers,
  author: async (sql, id) => openAuthor(await findAnswerTarget(sql, id, 0)),
}
