import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { ApplicationRow } from '../applications/queries.ts'
import { subjectContains } from '../queries.ts'
import type { AnswerQuery, ApplicationQuery, QuestionQuery } from './schema.ts'

type Found = { id: number }

/** A page of ids of questions, and how many there are. */
export function listQuestionIds(sql: Db, query: QuestionQuery) {
  const { sort = 'id', q, user_id: userId, topic_id: topicId, excellent } = query
  const by = sort === 'id' ? undefined : sql`q.${sql(sort)}`
  const where = sql`where true ${subjectContains(sql, q)}
    ${ifGiven(sql, userId, (value) => sql`and q.user_id = ${value}`)}
    ${ifGiven(sql, excellent, (value) => sql`and q.excellent = ${value}`)}
    ${ifGiven(
      sql,
      topicId,
      (value) => sql`and q.id in (select question_id from question_topic_links where topic_id = ${value})`,
    )}`
  return pageOf<Found>(
    sql,
    sql`
      select q.id from questions q ${where}
      ${listingAt(sql, query, { id: sql`q.id`, by, from: sql`questions q` })}`,
    sql`select count(*)::int as total from questions q ${where}`,
  )
}

/** A page of ids of answers, and how many there are. `q`: a part of the text. */
export function listAnswerIds(sql: Db, query: AnswerQuery) {
  const { sort = 'id', q, user_id: userId, question_id: questionId } = query
  const by = sort === 'id' ? undefined : sql`${sql(sort)}`
  const where = sql`where true
    ${ifGiven(sql, q, (value) => sql`and body ilike ${`%${escapeLike(value)}%`}`)}
    ${ifGiven(sql, userId, (value) => sql`and user_id = ${value}`)}
    ${ifGiven(sql, questionId, (value) => sql`and question_id = ${value}`)}`
  return pageOf<Found>(
    sql,
    sql`
      select id from answers ${where}
      ${listingAt(sql, query, { id: sql`id`, by, from: sql`answers` })}`,
    sql`select count(*)::int as total from answers ${where}`,
  )
}

/** A request for excellence with the subject of its question, if that is still there. */
export type ApplicationRecordRow = ApplicationRow & { subject: string | null }

/** A page of requests for excellence, and how many there are. */
export function listApplications(sql: Db, query: ApplicationQuery) {
  const { q, state, question_id: questionId, user_id: userId } = query
  const where = sql`where true
    ${ifGiven(sql, state, (value) => sql`and a.state = ${value}`)}
    ${ifGiven(sql, questionId, (value) => sql`and a.question_id = ${value}`)}
    ${ifGiven(sql, userId, (value) => sql`and a.user_id = ${value}`)}
    ${ifGiven(sql, q, (value) => sql`and q.subject ilike ${`%${escapeLike(value)}%`}`)}`
  const from = sql`question_applications a left join questions q on q.id = a.question_id ${where}`
  return pageOf<ApplicationRecordRow>(
    sql,
    sql`
      select a.id, a.question_id, q.subject, a.user_id, a.amount, a.state, a.decided_by, a.decided_at, a.created_at
      from ${from} ${listingAt(sql, query, { id: sql`a.id` })}`,
    sql`select count(*)::int as total from ${from}`,
  )
}
