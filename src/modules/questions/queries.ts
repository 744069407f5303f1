import type { Target } from '#platform/content.ts'
import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

export type QuestionRow = Row<
  'questions',
  | 'id'
  | 'user_id'
  | 'subject'
  | 'body'
  | 'text_body'
  | 'anonymity'
  | 'amount'
  | 'bounty'
  | 'automaticity'
  | 'look'
  | 'excellent'
  | 'status'
  | 'comments_count'
  | 'answers_count'
  | 'watchers_count'
  | 'likes_count'
  | 'views_count'
  | 'created_at'
  | 'updated_at'
> & {
  bounty: 'none' | 'held' | 'paid'
}

/** The columns of a row, of `questions q`. */
export const questionColumns = (sql: Db) => sql`
  q.id, q.user_id, q.subject, q.body, q.text_body, q.anonymity, q.amount, q.bounty, q.automaticity, q.look, q.excellent,
  q.status, q.comments_count, q.answers_count, q.watchers_count, q.likes_count, q.views_count, q.created_at,
  q.updated_at`

export type AnswerRow = Row<
  'answers',
  | 'id'
  | 'question_id'
  | 'user_id'
  | 'body'
  | 'text_body'
  | 'anonymity'
  | 'adoption'
  | 'invited'
  | 'comments_count'
  | 'rewards_amount'
  | 'rewarder_count'
  | 'likes_count'
  | 'views_count'
  | 'onlookers_count'
  | 'onlookers_total'
  | 'created_at'
  | 'updated_at'
> & {
  /** Who asked, and whether others pay for a look. */
  asker_id: number
  look: boolean
}

/** The columns of a row, of `answers a join questions q on q.id = a.question_id`. */
export const answerColumns = (sql: Db) => sql`
  a.id, a.question_id, a.user_id, a.body, a.text_body, a.anonymity, a.adoption, a.invited, a.comments_count,
  a.rewards_amount, a.rewarder_count, a.likes_count, a.views_count, a.onlookers_count, a.onlookers_total, a.created_at,
  a.updated_at, q.user_id as asker_id, q.look`

/** Questions by ids, in no order. */
export const findQuestionRows = (sql: Db, ids: number[]) => sql<QuestionRow[]>`
  select ${questionColumns(sql)} from questions q where q.id = any(${ids})`

/** Answers by ids, in no order. */
export const findAnswerRows = (sql: Db, ids: number[]) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id where a.id = any(${ids})`

export const findQuestionRow = async (sql: Db, id: number): Promise<QuestionRow | undefined> =>
  (await findQuestionRows(sql, [id]))[0]

export const findAnswerRow = async (sql: Db, id: number): Promise<AnswerRow | undefined> =>
  (await findAnswerRows(sql, [id]))[0]

/** The newest answer of each of these questions. */
export const listNewestAnswers = (sql: Db, questionIds: number[]) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from unnest(${questionIds}::bigint[]) as t (id)
  join questions q on q.id = t.id
  cross join lateral (select * from answers where question_id = t.id order by id desc limit 1) a`

/** Which of these answers a person paid to look at. */
export async function findOnlooked(sql: Db, answerIds: number[], userId: number): Promise<Set<number>> {
  if (userId === 0 || answerIds.length === 0) return new Set()
  const rows = await sql<{ answer_id: number }[]>`
    select answer_id from answer_onlookers where answer_id = any(${answerIds}) and user_id = ${userId}`
  return new Set(rows.map((row) => row.answer_id))
}

const idsOf = (rows: { id: number }[]) => new Set(rows.map(({ id }) => id))

/** Which of these questions exist; every question is for everybody to see. */
export const findExistingQuestions = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from questions where id = any(${ids})`)

export const findExistingAnswers = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from answers where id = any(${ids})`)

export const findAnonymousQuestions = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from questions where id = any(${ids}) and anonymity`)

export const findAnonymousAnswers = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from answers where id = any(${ids}) and anonymity`)

/** How many characters of an answer a notification or a report quotes. */
const QUOTED = 100

/** The question as something to comment on and report. */
export async function findQuestionTarget(sql: Db, id: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select id, user_id as "ownerId", subject as contents, anonymity as hidden from questions where id = ${id}`
  return row
}

/**
 * The answer as something to comment on, like, collect, reward and report. Its text is quoted to nobody who would have
 * to pay for it.
 */
export async function findAnswerTarget(sql: Db, id: number, viewerId: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select a.id, a.user_id as "ownerId", a.anonymity as hidden,
      case when q.look and a.invited and ${viewerId} not in (a.user_id, q.user_id) then q.subject
        else left(a.body, ${QUOTED}::int) end as contents
    from answers a join questions q on q.id = a.question_id where a.id = ${id}`
  return row
}
