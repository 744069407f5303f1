import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../../paging.ts'
import type { ExpertQuery, ProposalQuery, TopicQuery } from './schema.ts'

export type TopicRow = {
  id: number
  name: string
  description: string
  avatar: StoredNode | null
  questions_count: number
  follows_count: number
  experts_count: number
  created_at: string
  updated_at: string
}

const columns = (sql: Db) => sql`
  t.id, t.name, t.description, t.avatar, c.questions_count, c.follows_count, c.experts_count, t.created_at, t.updated_at`

const contains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return key === ''
    ? sql``
    : sql`and t.name_grams @> ${gramsOfQuery(key)} and t.name_key like ${`%${escapeLike(key)}%`}`
}

/** A page of topics, and how many there are. */
export function listTopics(sql: Db, { page = 1, limit = 15, sort = 'id', order, name, q }: TopicQuery) {
  const where = sql`where true ${contains(sql, name)} ${contains(sql, q)}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<TopicRow>(
    sql`
      select ${columns(sql)} from question_topics t join question_topic_counts c on c.topic_id = t.id ${where}
      order by ${sort === 'id' ? sql`` : sql`c.${sql(sort)} ${direction},`} t.id ${direction}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from question_topics t ${where}`,
  )
}

/** A topic; `lock` keeps it as it is until the end of the transaction. */
export const findTopic = async (sql: Db, id: number, { lock = false } = {}): Promise<TopicRow | undefined> =>
  (
    await sql<TopicRow[]>`
      select ${columns(sql)} from question_topics t join question_topic_counts c on c.topic_id = t.id
      where t.id = ${id} ${lock ? sql`for update of t` : sql``}`
  )[0]

/** A page of ids of the experts of a topic, and how many there are. */
export const listExpertIds = (sql: Db, topicId: number, { page = 1, limit = 15, order }: ExpertQuery) =>
  pageOf<{ user_id: number }>(
    sql`
      select user_id from question_topic_experts where topic_id = ${topicId}
      order by user_id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from question_topic_experts where topic_id = ${topicId}`,
  )

export const isUser = async (sql: Db, id: number): Promise<boolean> =>
  (await sql`select from users where id = ${id} and deleted_at is null`).length > 0

export type ProposalRecord = {
  id: number
  user_id: number
  name: string
  description: string
  state: 'pending' | 'passed' | 'rejected'
  mark: string | null
  decided_by: number | null
  decided_at: string | null
  created_at: string
}

/** A page of proposals of topics, and how many there are. */
export function listProposals(sql: Db, query: ProposalQuery) {
  const { page = 1, limit = 15, order, q, state, user_id: userId } = query
  const key = nameKey(q ?? '')
  const where = sql`where true
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
    ${key === '' ? sql`` : sql`and name_key like ${`%${escapeLike(key)}%`}`}`
  return pageOf<ProposalRecord>(
    sql`
      select id, user_id, name, description, state, mark, decided_by, decided_at, created_at
      from question_topic_applications ${where}
      order by id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from question_topic_applications ${where}`,
  )
}
