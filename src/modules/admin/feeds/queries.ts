import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { FeedCommentQuery, FeedQuery } from './schema.ts'

/** Ids of a page of feeds. Live ones are searched by the index of pieces, the few deleted ones by reading them. */
export function listFeedIds(sql: Db, query: FeedQuery) {
  const { page = 1, limit = 15, order, q, deleted = false, user_id, topic_id } = query
  const key = nameKey(q ?? '')
  const pattern = `%${escapeLike(key)}%`
  const contains =
    key === ''
      ? sql``
      : deleted
        ? sql`and lower(f.feed_content) like ${pattern}`
        : sql`and f.id = any(array(
            select s.feed_id from feed_search s
            where s.content_grams @> ${gramsOfQuery(key)} and s.content_key like ${pattern}
          ))`
  const where = sql`
    where ${deleted ? sql`f.deleted_at is not null` : sql`f.deleted_at is null`} ${contains}
      ${user_id === undefined ? sql`` : sql`and f.user_id = ${user_id}`}
      ${
        topic_id === undefined
          ? sql``
          : sql`and f.id = any(array(select feed_id from feed_topic_links where topic_id = ${topic_id}))`
      }`
  return pageOf<{ id: number }>(
    sql`select f.id from feeds f ${where} order by f.id ${order === 'asc' ? sql`asc` : sql`desc`}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from feeds f ${where}`,
  )
}

/** Keeps a feed as it is until the end of the transaction; undefined when there never was one. */
export async function lockFeed(sql: Db, id: number): Promise<{ deleted: boolean } | undefined> {
  const [row] = await sql<{ deleted: boolean }[]>`
    select deleted_at is not null as deleted from feeds where id = ${id} for no key update`
  return row
}

/** Ids of a page of the comments of a feed. */
export function listCommentIds(sql: Db, feedId: number, query: FeedCommentQuery) {
  const { page = 1, limit = 15, order, q, user_id } = query
  const where = sql`
    where commentable_type = 'feeds' and commentable_id = ${feedId}
      ${q === undefined ? sql`` : sql`and body ilike ${`%${escapeLike(q)}%`}`}
      ${user_id === undefined ? sql`` : sql`and user_id = ${user_id}`}`
  return pageOf<{ id: number }>(
    sql`select id from comments ${where} order by id ${order === 'asc' ? sql`asc` : sql`desc`}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from comments ${where}`,
  )
}
