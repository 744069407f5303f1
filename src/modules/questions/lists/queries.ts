import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { type AnswerRow, answerColumns, type QuestionRow, questionColumns } from '../queries.ts'
import type { QuestionsQuery, UserAnswersQuery, UserQuestionsQuery } from './schema.ts'

const subjectContains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return key === ''
    ? sql``
    : sql`and q.subject_grams @> ${gramsOfQuery(key)} and q.subject_key like ${`%${escapeLike(key)}%`}`
}

const filters = (sql: Db, viewerId: number): Record<NonNullable<QuestionsQuery['type']>, Fragment> => ({
  all: sql``,
  new: sql`and q.answers_count = 0`,
  hot: sql`and q.created_at > now() - interval '1 month'`,
  reward: sql`and q.amount > 0`,
  excellent: sql`and q.excellent`,
  follow: sql`and q.id in (select question_id from question_watchers where user_id = ${viewerId})`,
})

/** A page of questions, of one topic where given (R §19.1). */
export const listQuestions = (
  sql: Db,
  viewerId: number,
  { type = 'new', subject, id, limit = 20, offset = 0 }: QuestionsQuery,
  topicId?: number,
) => sql<QuestionRow[]>`
  select ${questionColumns(sql)}
  from ${topicId === undefined ? sql`questions q` : sql`question_topic_links l join questions q on q.id = l.question_id`}
  where ${topicId === undefined ? sql`true` : sql`l.topic_id = ${topicId}`}
    ${id === undefined ? filters(sql, viewerId)[type] : sql`and q.id = any(${id})`} ${subjectContains(sql, subject)}
  order by ${type === 'hot' ? sql`q.answers_count desc,` : sql``}
    ${topicId === undefined ? sql`q.id` : sql`l.question_id`} desc
  limit ${limit} offset ${offset}`

/** The questions of a person, newest first; those asked anonymously only for themselves. */
export const listQuestionsOf = (
  sql: Db,
  userId: number,
  { type = 'all', limit = 15, after = 0 }: UserQuestionsQuery,
  { own }: { own: boolean },
) => {
  const invited = sql`exists (select from question_invitations i where i.question_id = q.id)`
  const filter = {
    all: sql``,
    invitation: sql`and ${invited}`,
    reward: sql`and q.amount > 0`,
    other: sql`and q.amount = 0 and not ${invited}`,
  }[type]
  return sql<QuestionRow[]>`
    select ${questionColumns(sql)} from questions q
    where q.user_id = ${userId} ${own ? sql`` : sql`and not q.anonymity`} ${filter}
      ${after > 0 ? sql`and q.id < ${after}` : sql``}
    order by q.id desc limit ${limit}`
}

/** The answers of a person, newest first; those given anonymously only for themselves. */
export const listAnswersOf = (
  sql: Db,
  userId: number,
  { type = 'all', limit = 15, after = 0 }: UserAnswersQuery,
  { own }: { own: boolean },
) => {
  const filter = {
    all: sql``,
    adoption: sql`and a.adoption`,
    invitation: sql`and a.invited`,
    other: sql`and not a.adoption and not a.invited`,
  }[type]
  return sql<AnswerRow[]>`
    select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
    where a.user_id = ${userId} ${own ? sql`` : sql`and not a.anonymity`} ${filter}
      ${after > 0 ? sql`and a.id < ${after}` : sql``}
    order by a.id desc limit ${limit}`
}

/** The answers that the page of a question shows apart: invited ones, the adopted one, and the viewer's newest. */
export const listSpecialAnswers = (sql: Db, questionId: number, viewerId: number) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.question_id = ${questionId} and (a.invited or a.adoption)
  union all
  (select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
    where a.question_id = ${questionId} and a.user_id = ${viewerId} and not a.invited and not a.adoption
    order by a.id desc limit 1)
  order by id`

export const listInvitedIds = async (sql: Db, questionId: number): Promise<number[]> =>
  (
    await sql<{ user_id: number }[]>`
      select user_id from question_invitations where question_id = ${questionId} order by user_id`
  ).map((row) => row.user_id)
