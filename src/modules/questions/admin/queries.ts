import { escapeLike } from '#lib/text.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import { UserView } from '#modules/users/index.ts'
import { type Db, ifGiven, listingClause } from '#platform/database'
import {
  Flag,
  Id,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { type ApplicationRow, allQuestionViews, subjectContains } from '../queries.ts'
import { AnswerView, QuestionView } from '../schema.ts'

export const ApplicationParams = Type.Object({ application: Id })

/** Question for moderators. `user` is set even when the question is anonymous. */
export const QuestionRecord = Shared('QuestionRecord', {
  ...QuestionView.properties,
  bounty: OneOf(['none', 'held', 'paid'] as const),
  user: Nullable(UserView),
})
export const QuestionListing = Listing(QuestionRecord)

export const QuestionQuery = Type.Object({
  ...listingQuery(['id', 'answers_count', 'amount', 'views_count'] as const),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
  excellent: Type.Optional(Flag()),
})
export type QuestionQuery = Static<typeof QuestionQuery>

export const QuestionChanges = Shared('QuestionRecordChanges', { excellent: Flag() })

export const AnswerRecord = Shared('AnswerRecord', { ...AnswerView.properties, user: Nullable(UserView) })
export const AnswerListing = Listing(AnswerRecord)

export const AnswerQuery = Type.Object({
  ...listingQuery(['id', 'likes_count', 'rewards_amount'] as const),
  question_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type AnswerQuery = Static<typeof AnswerQuery>

const Application = Shared('ExcellenceApplication', {
  id: Type.Integer(),
  question_id: Type.Integer(),
  subject: Nullable(Type.String()),
  user_id: Type.Integer(),
  user: Nullable(UserView),
  amount: Type.Integer(IN_POINTS),
  state: OneOf(['pending', 'passed', 'rejected', 'cancelled'] as const),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})
export const ApplicationListing = Listing(Application)

export const ApplicationQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(['pending', 'passed', 'rejected', 'cancelled'] as const)),
  question_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type ApplicationQuery = Static<typeof ApplicationQuery>

export const Decision = Shared('QuestionDecision', {
  action: OneOf(['accept', 'reject'] as const),
  mark: Type.Optional(Nullable(Text(255))),
})

type Found = { id: number }

export function listQuestionIds(sql: Db, query: QuestionQuery) {
  const { sort = 'id', q, user_id: userId, topic_id: topicId, excellent } = query
  const by = sort === 'id' ? undefined : sort === 'views_count' ? allQuestionViews(sql) : sql`q.${sql(sort)}`
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

export type ApplicationRecordRow = ApplicationRow & { subject: string | null }

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
