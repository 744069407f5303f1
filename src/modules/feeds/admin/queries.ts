import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import { visibleFeed } from '../queries.ts'
import type { FeedQuery } from './schema.ts'

/** The condition that finds a part of the text: through the index of pieces, or by reading the few deleted feeds. */
function textContains(sql: Db, part: string, deleted: boolean): Fragment {
  const key = nameKey(part)
  const pattern = `%${escapeLike(key)}%`
  if (key === '') return sql``
  if (deleted) return sql`and lower(f.feed_content) like ${pattern}`
  return sql`and f.id = any(array(
    select s.feed_id from feed_search s
    where s.content_grams @> ${gramsOfQuery(key)} and s.content_key like ${pattern}
  ))`
}

/** Ids of a page of feeds, or of those that are deleted. */
export function listFeedIds(sql: Db, query: FeedQuery) {
  const { q = '', deleted = false } = query
  const where = sql`
    where ${deleted ? sql`not (${visibleFeed(sql)})` : visibleFeed(sql)} ${textContains(sql, q, deleted)}
      ${ifGiven(sql, query.user_id, (id) => sql`and f.user_id = ${id}`)}
      ${ifGiven(
        sql,
        query.topic_id,
        (id) => sql`and f.id = any(array(select feed_id from feed_topic_links where topic_id = ${id}))`,
      )}`
  return pageOf<{ id: number }>(
    sql,
    sql`select f.id from feeds f ${where} ${listingAt(sql, query, { id: sql`f.id` })}`,
    sql`select count(*)::int as total from feeds f ${where}`,
  )
}

/** Keeps a feed as it is until the end of the transaction; undefined when there never was one. */
export async function lockFeed(sql: Db, id: number): Promise<{ deleted: boolean } | undefined> {
  const [row] = await sql<{ deleted: boolean }[]>`
    select deleted_at is not null as deleted from feeds where id = ${id} for no key update`
  return row
}
