import { UserView } from '#modules/users/index.ts'
import { andContains, type Db, ifGiven, listingClause, listingOrder, when } from '#platform/database'
import { Id, Int, listingQuery, Nullable, OneOf, pageOf, Shared, type Static, Type } from '#platform/http'
import { type GroupRow, groupColumns } from '../queries.ts'
import { Group, MODES } from '../schema.ts'

export const GroupRecord = Shared('GroupRecord', {
  ...Group.properties,
  founder: Nullable(UserView),
  recommended: Type.Boolean(),
})
export type GroupRecord = Static<typeof GroupRecord>

export const GroupQuery = Type.Object({
  ...listingQuery(['id']),
  audit: Type.Optional(Int(0, 2)),
  category_id: Type.Optional(Id),
  mode: Type.Optional(OneOf(MODES)),
  user_id: Type.Optional(Id),
})
export type GroupQuery = Static<typeof GroupQuery>

export const GroupReview = Shared('GroupReview', {
  audit: Type.Optional(
    Type.Unsafe<1 | 2>(Int(1, 2, { description: '1 approves, 2 rejects or closes the group' })),
  ),
  category_id: Type.Optional(Id),
})

export const NewRecommendation = Shared('NewGroupRecommendation', {
  group_id: Id,
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
})

export const RecommendQuery = Type.Object(listingQuery(['sort_by', 'id']))
export type RecommendQuery = Static<typeof RecommendQuery>

export type GroupRecordRow = GroupRow & { founder_id: number | null; recommended: boolean }

const groupFields = (sql: Db) => sql`
  ${groupColumns(sql)},
  (select m.user_id from group_members m where m.group_id = g.id and m.role = 'founder') as founder_id,
  exists (select from group_recommends r where r.group_id = g.id) as recommended`

export function listGroupRecords(sql: Db, query: GroupQuery) {
  const where = sql`where g.deleted_at is null ${ifGiven(sql, query.audit, (audit) => sql`and g.audit = ${audit}`)}
    ${ifGiven(sql, query.category_id, (id) => sql`and g.category_id = ${id}`)}
    ${ifGiven(sql, query.mode, (mode) => sql`and g.mode = ${mode}`)}
    ${ifGiven(sql, query.user_id, (id) => sql`and g.user_id = ${id}`)} 
    ${ifGiven(sql, query.q, (part) => {
      const named = andContains(sql, 'g.name', part)
      // Approved groups and other groups have separate partial indexes on names, and each condition matches
      // one index.
      return sql`and (g.audit = 1 ${named} or g.audit <> 1 ${named})`
    })}`
  const order = { id: sql`g.id` }
  return pageOf<GroupRecordRow>(
    sql,
    // Looks up founders only for the groups on the page.
    sql`select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id
      where g.id = any(array(select g.id from groups g ${where} ${listingClause(sql, query, order)}))
      ${listingOrder(sql, query, order)}`,
    sql`select count(*)::int as total from groups g ${where}`,
  )
}

export async function findGroupRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<GroupRecordRow[]>`
    select ${groupFields(sql)} from groups g join group_counts n on n.group_id = g.id
    where g.id = ${id} and g.deleted_at is null ${when(sql, lock, () => sql`for no key update of g`)}`
  return row
}

export const setCategory = (sql: Db, id: number, categoryId: number) =>
  sql`update groups set category_id = ${categoryId}, updated_at = now() where id = ${id}`

export function listRecommendRecords(sql: Db, query: RecommendQuery) {
  const { sort = 'sort_by' } = query
  const from = sql`from group_recommends r join groups g on g.id = r.group_id and g.deleted_at is null`
  const where = sql`where true ${andContains(sql, 'g.name', query.q)}`
  return pageOf<GroupRecordRow>(
    sql,
    sql`select ${groupFields(sql)} ${from} join group_counts n on n.group_id = g.id ${where}
      ${listingClause(sql, query, {
        id: sql`r.group_id`,
        by: sort === 'sort_by' ? sql`r.sort_by` : undefined,
        from: sql`group_recommends r`,
      })}`,
    sql`select count(*)::int as total ${from} ${where}`,
  )
}

export const saveRecommend = (sql: Db, groupId: number, sortBy: number, referrer: number) => sql`
  insert into group_recommends (group_id, sort_by, referrer) values (${groupId}, ${sortBy}, ${referrer})
  on conflict (group_id) do update set sort_by = excluded.sort_by, referrer = excluded.referrer`

export async function deleteRecommend(sql: Db, groupId: number): Promise<boolean> {
  const gone = await sql`delete from group_recommends where group_id = ${groupId}`
  return gone.count > 0
}
