import { escapeLike } from '#lib/text.ts'
import { type Db, ifGiven, listingClause } from '#platform/database'
import { pageOf } from '#platform/http'
import type { ApplicationRow } from '../applications/queries.ts'
import { subjectContains } from '../queries.ts'
import type { AnswerQuery, ApplicationQuery, QuestionQuery } from './schema.ts'

type Found = { id: number }

/** Lists ids of questions, paged, with the total. */
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
      ${listingClause(sql, query, { id: sql`q.id`, by, from: sql`questions q` })}`,
    sql`select count(*)::int as total from questions q ${where}`,
  )
}

/** Lists ids of answers, paged, with the total. `q` searches the text. */
export function searchAnswerIds(sql: Db, query: AnswerQuery) {
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
      ${listingClause(sql, query, { id: sql`id`, by, from: sql`answers` })}`,
    sql`select count(*)::int as total from answers ${where}`,
  )
}

/** A request for excellence with the subject of its question, null when deleted. */
export type ApplicationRecordRow = ApplicationRow & { subject: string | null }

/** Lists requests for excellence, paged, with the total. */
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
      from ${from} ${listingClause(sql, query, { id: sql`a.id` })}`,
    sql`select count(*)::int as total from ${from}`,
  )
}
