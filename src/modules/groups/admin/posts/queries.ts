import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { andContains, ifGiven, listingAt } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import { type PostRow, postColumns } from '../../posts/queries.ts'
import type { PostQuery } from './schema.ts'

export type PostRecordRow = PostRow & Row<'group_posts', 'body'>

/** A page of posts of all groups, private ones too. */
export function listPostRecords(sql: Db, query: PostQuery) {
  const where = sql`where true ${ifGiven(sql, query.group_id, (id) => sql`and p.group_id = ${id}`)}
    ${ifGiven(sql, query.user_id, (id) => sql`and p.user_id = ${id}`)} ${andContains(sql, 'p.title', query.q)}`
  return pageOf<PostRecordRow>(
    sql,
    sql`select ${postColumns(sql)}, p.body from group_posts p ${where}
      ${listingAt(sql, query, { id: sql`p.id` })}`,
    sql`select count(*)::int as total from group_posts p ${where}`,
  )
}

export async function findPostRecord(sql: Db, id: number) {
  const [row] = await sql<PostRecordRow[]>`
    select ${postColumns(sql)}, p.body from group_posts p where p.id = ${id}`
  return row
}
