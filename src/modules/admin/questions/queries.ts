import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { AnswerQuery, ApplicationQuery, QuestionQuery } from './schema.ts'

const direction = (sql: Db, order: string | undefined) => (order === 'asc' ? sql`asc` : sql`desc`)

type Found = { id: number }

/** A page of ids of questions, and how many there are. */
export function listQuestionIds(sql: Db, query: QuestionQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, user_id: userId, topic_id: topicId, excellent } = query
  const key = nameKey(q ?? '')
  const where = sql`where true
    ${key === '' ? sql`` : sql`and subject_grams @> ${gramsOfQuery(key)} and subject_key like ${`%${escapeLike(key)}%`}`}
    ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
    ${excellent === undefined ? sql`` : sql`and excellent = ${excellent}`}
    ${topicId === undefined ? sql`` : sql`and id in (select question_id from question_topic_links where topic_id = ${topicId})`}`
  return pageOf<Found>(
    sql`
      select id from questions ${where}
      order by ${sort === 'id' ? sql`` : sql`${sql(sort)} ${direction(sql, order)},`} id ${direction(sql, order)}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from questions ${where}`,
  )
}

/** A page of ids of answers, and how many there are. `q`: a part of the text. */
export function listAnswerIds(sql: Db, query: AnswerQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, user_id: userId, question_id: questionId } = query
  const where = sql`where true
    ${q === undefined ? sql`` : sql`and body ilike ${`%${escapeLike(q)}%`}`}
    ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
    ${questionId === undefined ? sql`` : sql`and question_id = ${questionId}`}`
  return pageOf<Found>(
    sql`
      select id from answers ${where}
      order by ${sort === 'id' ? sql`` : sql`${sql(sort)} ${direction(sql, order)},`} id ${direction(sql, order)}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from answers ${where}`,
  )
}

export type ApplicationRecord = {
  id: number
  question_id: number
  subject: string | null
  user_id: number
  amount: number
  state: 'pending' | 'passed' | 'rejected' | 'cancelled'
  decided_by: number | null
  decided_at: string | null
  created_at: string
}

/** A page of requests for excellence, and how many there are. */
export function listApplications(sql: Db, query: ApplicationQuery) {
  const { page = 1, limit = 15, order, q, state, question_id: questionId, user_id: userId } = query
  const where = sql`where true
    ${state === undefined ? sql`` : sql`and a.state = ${state}`}
    ${questionId === undefined ? sql`` : sql`and a.question_id = ${questionId}`}
    ${userId === undefined ? sql`` : sql`and a.user_id = ${userId}`}
    ${q === undefined ? sql`` : sql`and q.subject ilike ${`%${escapeLike(q)}%`}`}`
  return pageOf<ApplicationRecord>(
    sql`
      select a.id, a.question_id, q.subject, a.user_id, a.amount, a.state, a.decided_by, a.decided_at, a.created_at
      from question_applications a left join questions q on q.id = a.question_id ${where}
      order by a.id ${direction(sql, order)} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from question_applications a left join questions q on q.id = a.question_id ${where}`,
  )
}
