import { escapeLike, nameKey } from '#lib/text.ts'
import { userIdsNamed } from '#modules/accounts/index.ts'
import type { StoredNode } from '#modules/files/index.ts'
import { type Db, ifGiven, listingClause, listingOrder, type Row, when } from '#platform/database'
import { pageOf } from '#platform/http'
import type { ProposalRow } from '../../topics/proposals/queries.ts'
import { nameContains } from '../../topics/queries.ts'
import type { ExpertQuery, ProposalQuery, QuestionTopicQuery } from './schema.ts'

export type QuestionTopicRecordRow = Row<
  'question_topics',
  'id' | 'name' | 'description' | 'created_at' | 'updated_at'
> &
  Row<'question_topic_counts', 'questions_count' | 'follows_count' | 'experts_count'> & {
    avatar: StoredNode | null
  }

const columns = (sql: Db) => sql`
  t.id, t.name, t.description, t.avatar, c.questions_count, c.follows_count, c.experts_count, t.created_at, t.updated_at`

/** Lists topics, paged, with the total. */
export function listTopicRecords(sql: Db, query: QuestionTopicQuery) {
  const { sort = 'id', name, q } = query
  const where = sql`where true ${nameContains(sql, name)} ${nameContains(sql, q)}`
  const tables = sql`question_topics t join question_topic_counts c on c.topic_id = t.id`
  const list =
    sort === 'id'
      ? { id: sql`t.id`, from: sql`question_topics t` }
      : { id: sql`t.id`, by: sql`c.${sql(sort)}`, from: tables }
  return pageOf<QuestionTopicRecordRow>(
    sql,
    // Sorts ids instead of whole topics, which is cheaper.
    sql`select ${columns(sql)} from ${tables}
      where t.id = any(array(select t.id from ${list.from} ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from question_topics t ${where}`,
  )
}

/** Finds a topic. `lock` locks the row until the transaction ends. */
export const findTopicRecord = async (
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<QuestionTopicRecordRow | undefined> =>
  (
    await sql<QuestionTopicRecordRow[]>`
      select ${columns(sql)} from question_topics t join question_topic_counts c on c.topic_id = t.id
      where t.id = ${id} ${when(sql, lock, () => sql`for update of t`)}`
  )[0]

/** Lists ids of a topic's experts, paged, with the total. `q` is a part of their name. */
export function listExpertIds(sql: Db, topicId: number, query: ExpertQuery) {
  const where = sql`where topic_id = ${topicId}
    ${ifGiven(sql, query.q, (name) => sql`and user_id in (${userIdsNamed(sql, name)})`)}`
  return pageOf<{ user_id: number }>(
    sql,
    sql`
      select user_id from question_topic_experts ${where} ${listingClause(sql, query, { id: sql`user_id` })}`,
    sql`select count(*)::int as total from question_topic_experts ${where}`,
  )
}

/** Lists topic proposals, paged, with the total. */
export function listProposals(sql: Db, query: ProposalQuery) {
  const { q, state, user_id: userId } = query
  const key = nameKey(q ?? '')
  const where = sql`where true
    ${ifGiven(sql, state, (value) => sql`and state = ${value}`)}
    ${ifGiven(sql, userId, (value) => sql`and user_id = ${value}`)}
    ${when(sql, key !== '', () => sql`and name_key like ${`%${escapeLike(key)}%`}`)}`
  return pageOf<ProposalRow>(
    sql,
    sql`
      select id, user_id, name, description, state, mark, decided_by, decided_at, created_at
      from question_topic_applications ${where} ${listingClause(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from question_topic_applications ${where}`,
  )
}
