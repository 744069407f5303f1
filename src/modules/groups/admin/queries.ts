import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { andContains, ifGiven, listingAt, orderAt, when } from '#platform/sql.ts'
import { type GroupRow, groupColumns } from '../queries.ts'
import type { GroupQuery, RecommendQuery } from './schema.ts'

export type GroupRecordRow = GroupRow & { founder_id: number | null; recommended: boolean }

const groupFields = (sql: Db) => sql`
  ${groupColumns(sql)},
  (select m.user_id from group_members m where m.group_id = g.id and m.role = 'founder') as founder_id,
  exists (select from group_recommends r where r.group_id = g.id) as recommended`

/** A page of groups of every state. */
export function listGroupRecords(sql: Db, query: GroupQuery) {
  const where = sql`where g.deleted_at is null ${ifGiven(sql, query.audit, (audit) => sql`and g.audit = ${audit}`)}
    ${ifGiven(sql, query.category_id, (id) => sql`and g.category_id = ${id}`)}
    ${ifGiven(sql, query.mode, (mode) => sql`and g.mode = ${mode}`)}
    ${ifGiven(sql, query.user_id, (id) => sql`and g.user_id = ${id}`)} 
    ${ifGiven(sql, query.q, (part) => {
      const named = andContains(sql, 'g.name', part)
      // As two conditions, since each has an index of its own.
      return sql`and (g.audit = 1 ${named} or g.audit <> 1 ${named})`
    })}`
  const order = { id: sql`g.id` }
  return pageOf<GroupRecordRow>(
    sql,
    // Founders are looked up for what is on the page, not for all before it.
    sql`select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id
      where g.id = any(array(select g.id from groups g ${where} ${listingAt(sql, query, order)}))
      ${orderAt(sql, query, order)}`,
    sql`select count(*)::int as total from groups g ${where}`,
  )
}

export async function findGroupRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<GroupRecordRow[]>`
    select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id
    where g.id = ${id} and g.deleted_at is null ${when(sql, lock, () => sql`for no key update of g`)}`
  return row
}

/** Moves a group to another category. */
export const setCategory = (sql: Db, id: number, categoryId: number) =>
  sql`update groups set category_id = ${categoryId}, updated_at = now() where id = ${id}`

/** A page of the recommended groups. */
export function listRecommendRecords(sql: Db, query: RecommendQuery) {
  const { sort = 'sort_by' } = query
  const from = sql`from group_recommends r join groups g on g.id = r.group_id and g.deleted_at is null`
  return pageOf<GroupRecordRow>(
    sql,
    sql`select ${groupFields(sql)} ${from} join group_counts n on n.group_id = g.id where true
      ${listingAt(sql, query, {
        id: sql`r.group_id`,
        by: sort === 'sort_by' ? sql`r.sort_by` : undefined,
        from: sql`group_recommends r`,
      })}`,
    sql`select count(*)::int as total ${from}`,
  )
}

/** Recommends a group, or gives it another place. */
export const saveRecommend = (sql: Db, groupId: number, sortBy: number, referrer: number) => sql`
  insert into group_recommends (group_id, sort_by, referrer) values (${groupId}, ${sortBy}, ${referrer})
  on conflict (group_id) do update set sort_by = excluded.sort_by, referrer = excluded.referrer`

/** False when the group was not recommended. */
export async function deleteRecommend(sql: Db, groupId: number): Promise<boolean> {
  const gone = await sql`delete from group_recommends where group_id = ${groupId}`
  return gone.count > 0
}
