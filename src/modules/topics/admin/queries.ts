import type { StoredNode } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, orderAt, when } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import { nameContains } from '../queries.ts'
import type { TopicStatus } from '../schema.ts'
import type { TopicQuery } from './schema.ts'

export type TopicRecordRow = Row<
  'feed_topics',
  'id' | 'name' | 'desc' | 'creator_user_id' | 'hot_at' | 'created_at' | 'updated_at'
> &
  Row<'feed_topic_counts', 'feeds_count' | 'followers_count'> & {
    logo: StoredNode | null
    status: TopicStatus
  }

const columns = (sql: Db) => sql`
  t.id, t.name, t."desc", t.logo, t.creator_user_id, t.status, t.hot_at, t.created_at, t.updated_at,
  c.feeds_count, c.followers_count`

/** A page of topics of every status. */
export function listTopicRecords(sql: Db, query: TopicQuery) {
  const { sort = 'id', id, name, q, hot, status } = query
  const where = sql`where true
    ${ifGiven(sql, id, (value) => sql`and t.id = ${value}`)}
    ${ifGiven(sql, status, (value) => sql`and t.status = ${value}`)}
    ${ifGiven(sql, hot, (value) => sql`and (t.hot_at is not null) = ${value}`)}
    ${nameContains(sql, name)} ${nameContains(sql, q)}`
  const tables = sql`feed_topics t join feed_topic_counts c on c.topic_id = t.id`
  const list =
    sort === 'id'
      ? { id: sql`t.id`, from: sql`feed_topics t` }
      : { id: sql`t.id`, by: sql`c.${sql(sort)}`, from: tables }
  return pageOf<TopicRecordRow>(
    sql,
    // What is sorted is ids, not whole topics.
    sql`select ${columns(sql)} from ${tables}
      where t.id = any(array(select t.id from ${list.from} ${where} ${listingAt(sql, query, list)})) ${orderAt(sql, query, list)}`,
    sql`select count(*)::int as total from feed_topics t ${where}`,
  )
}

/** A topic whatever its status; `lock` keeps it as it is until the end of the transaction. */
export async function findTopicRecord(
  sql: Db,
  id: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<TopicRecordRow | undefined> {
  const [row] = await sql<TopicRecordRow[]>`
    select ${columns(sql)} from feed_topics t join feed_topic_counts c on c.topic_id = t.id
    where t.id = ${id} ${when(sql, lock, () => sql`for update of t`)}`
  return row
}

/** Chooses a topic as hot, or takes that back; one that is hot keeps its time. */
export const setHot = (sql: Db, id: number, hot: boolean) => sql`
  update feed_topics set hot_at = ${hot ? sql`coalesce(hot_at, now())` : sql`null`}, updated_at = now()
  where id = ${id}`

export const setStatus = (sql: Db, id: number, status: TopicStatus) => sql`
  update feed_topics set status = ${status}, updated_at = now() where id = ${id}`
