import { geoCellsAround } from '#lib/geo.ts'
import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { GroupListQuery, MyGroupsQuery, NearbyQuery } from '../schema.ts'
import { type GroupRow, groupColumns, groups } from './circles.ts'

/** Whether a circle that a row names has passed: a condition for each row, so that the list stays a walk. */
const passed = (sql: Db, groupId: Fragment) =>
  sql`coalesce((select g.audit = 1 and g.deleted_at is null from groups g where g.id = ${groupId}), false)`

/** Passed circles, newest first, all or filtered. */
export function listGroups(sql: Db, query: GroupListQuery) {
  const { id: ids, keyword, category_id: category, limit = 15, offset = 0, after = 0 } = query
  const key = nameKey(keyword ?? '')
  return groups(
    sql,
    sql`
      select * from groups where audit = 1 and deleted_at is null
        ${ids ? sql`and id = any(${ids})` : sql``} ${category ? sql`and category_id = ${category}` : sql``}
        ${key === '' ? sql`` : sql`and name_grams @> ${gramsOfQuery(key)} and name_key like ${`%${escapeLike(key)}%`}`}
        ${after > 0 ? sql`and id < ${after}` : sql``}
      order by id desc limit ${limit} offset ${after > 0 ? 0 : offset}`,
    sql`order by g.id desc`,
  )
}

/** Circles chosen by hand, in their order or mixed. */
export const listRecommended = (
  sql: Db,
  { limit = 20, offset = 0, type }: { limit?: number; offset?: number; type?: 'random' },
) =>
  groups(
    sql,
    sql`
      select g.*, r.n as place from (
        select r.group_id, row_number() over () as n from (
          select r.group_id from group_recommends r where ${passed(sql, sql`r.group_id`)}
          order by ${type === 'random' ? sql`random()` : sql`r.sort_by desc, r.group_id desc`}
          limit ${limit} offset ${offset}
        ) r
      ) r cross join lateral (select * from groups g where g.id = r.group_id offset 0) g`,
    sql`order by g.place`,
  )

/** How far away a circle may be to count as nearby (R §20.1). */
export const NEARBY_KM = 20

/** Passed circles nearby, the nearest first. */
export function listNearby(sql: Db, { latitude, longitude, limit = 15, offset = 0 }: NearbyQuery) {
  const cells = geoCellsAround({ latitude, longitude }, NEARBY_KM)
  return groups(
    sql,
    sql`
    select * from (
      select g.*, 2 * 6371 * asin(sqrt(least(1, power(sin(radians(g.latitude - ${latitude}::float8) / 2), 2)
        + cos(radians(${latitude}::float8)) * cos(radians(g.latitude))
        * power(sin(radians(g.longitude - ${longitude}::float8) / 2), 2)))) as km
      from groups g where g.geo_cell = any(${cells}::bigint[]) and g.audit = 1 and g.deleted_at is null
    ) g
    where g.km <= ${NEARBY_KM} order by g.km, g.id limit ${limit} offset ${offset}`,
    sql`order by g.km, g.id`,
  )
}

/** Passed circles that a person has joined, the last first. */
export const listGroupsOf = (
  sql: Db,
  userId: number,
  { limit = 15, offset = 0 }: { limit?: number; offset?: number },
) =>
  groups(
    sql,
    sql`
      select g.*, m.id as member_id from (
        select m.id, m.group_id from group_members m
        where m.user_id = ${userId} and m.audit = 1 and not m.disabled and ${passed(sql, sql`m.group_id`)}
        order by m.id desc limit ${limit} offset ${offset}
      ) m cross join lateral (select * from groups g where g.id = m.group_id offset 0) g`,
    sql`order by g.member_id desc`,
  )

/** Circles of one's own lists, the last joined first: those joined, those that wait for somebody, those to post in. */
export function listMyGroups(sql: Db, userId: number, { type, limit = 20, offset = 0 }: MyGroupsQuery) {
  const which = {
    join: sql`m.audit = 1 and g.audit = 1`,
    audit: sql`(m.audit = 0 or (g.audit = 0 and m.role = 'founder'))`,
    allow_post: sql`m.audit = 1 and g.audit = 1 and not m.disabled and m.role = any(g.permissions)`,
  }[type ?? 'join']
  return sql<(GroupRow & { join_at: string })[]>`
    select ${groupColumns(sql)}, m.created_at as join_at
    from (
      select m.id, m.group_id, m.created_at from group_members m
      where m.user_id = ${userId} and coalesce((
        select g.deleted_at is null and ${which} from groups g where g.id = m.group_id
      ), false)
      order by m.id desc limit ${limit} offset ${offset}
    ) m
    cross join lateral (select * from groups g where g.id = m.group_id offset 0) g
    cross join lateral (select * from group_counts n where n.group_id = g.id offset 0) n
    order by m.id desc`
}
