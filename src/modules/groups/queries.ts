import { geoCell, geoCellsAround } from '#lib/geo.ts'
import { grams, nameKey } from '#lib/text.ts'
import {
  andAfterCursor,
  andAfterRow,
  andContains,
  type Db,
  type Fragment,
  ifGiven,
  limitClause,
  type Row,
  type Tables,
} from '#platform/database'
import { isVisibleGroup, type MemberRow, memberColumns } from './access/queries.ts'
import type { GroupListQuery, Mode, MyGroupsQuery, NearbyQuery, RecommendedQuery, Role } from './schema.ts'

export type GroupCategoryRow = Row<
  'group_categories',
  'id' | 'name' | 'sort_by' | 'status' | 'created_at' | 'updated_at'
>

const columns = (sql: Db) => sql`id, name, sort_by, status, created_at, updated_at`

export const listCategories = (sql: Db) => sql<GroupCategoryRow[]>`
  select ${columns(sql)} from group_categories where status = 0 order by sort_by desc, id`

export async function findCategory(sql: Db, id: number): Promise<GroupCategoryRow | undefined> {
  const [row] = await sql<GroupCategoryRow[]>`select ${columns(sql)} from group_categories where id = ${id}`
  return row
}

export type GroupRow = Row<
  'groups',
  | 'id'
  | 'name'
  | 'user_id'
  | 'category_id'
  | 'avatar'
  | 'location'
  | 'longitude'
  | 'latitude'
  | 'geo_hash'
  | 'allow_feed'
  | 'money'
  | 'summary'
  | 'notice'
  | 'audit'
  | 'im_group_id'
  | 'created_at'
  | 'updated_at'
> &
  Omit<Tables['group_counts'], 'group_id'> & { mode: Mode; permissions: Role[] }

export const groupColumns = (sql: Db) => sql`
  g.id, g.name, g.user_id, g.category_id, g.avatar, g.location, g.longitude, g.latitude, g.geo_hash, g.allow_feed, g.mode,
  g.permissions, g.money, g.summary, g.notice, g.audit, g.im_group_id, g.created_at, g.updated_at, n.users_count,
  n.posts_count, n.excellen_posts_count, n.join_income_count, n.pinned_income_count`

/**
 * Selects the groups of the page before the join. Otherwise PostgreSQL could read the counts of all groups.
 */
const groups = (sql: Db, from: Fragment, order: Fragment) => sql<GroupRow[]>`
  select ${groupColumns(sql)} from (${from}) g cross join lateral (
    select * from group_counts n where n.group_id = g.id offset 0
  ) n
  ${order}`

export const countGroups = async (sql: Db) =>
  (await sql<[{ count: number }]>`select groups_count as count from group_totals where one`)[0].count

export const findGroups = (sql: Db, ids: number[], viewerId: number) =>
  groups(
    sql,
    sql`select g.* from groups g where g.id = any(${ids}) and ${isVisibleGroup(sql, viewerId)}`,
    sql`order by g.id desc`,
  )

export const findGroup = async (sql: Db, id: number, viewerId: number) =>
  (await findGroups(sql, [id], viewerId))[0]

export async function findGroupParts(sql: Db, id: number) {
  const [tags, [founder], [counted]] = await Promise.all([
    sql<{ tag_id: number }[]>`select tag_id from group_tags where group_id = ${id}`,
    sql<MemberRow[]>`
      select ${memberColumns(sql)} from group_members m where m.group_id = ${id} and m.role = 'founder'`,
    sql<[{ n: number }]>`select count(*)::int as n from group_members where group_id = ${id} and disabled`,
  ])
  return { tagIds: tags.map(({ tag_id }) => tag_id), founder, blacklisted: counted.n }
}

export async function findVisibleGroups(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select g.id from groups g where g.id = any(${ids}) and ${isVisibleGroup(sql, viewerId)}`
  return new Set(rows.map(({ id }) => id))
}

/**
 * SQL condition that a group is approved and not deleted. Uses a subquery, because a join would keep PostgreSQL
 * from reading the listed rows in index order.
 */
const passed = (sql: Db, groupId: Fragment) =>
  sql`coalesce((select g.audit = 1 and g.deleted_at is null from groups g where g.id = ${groupId}), false)`

export function listGroups(sql: Db, query: GroupListQuery) {
  const { id: ids, keyword, category_id: category, limit = 15, offset, after = 0 } = query
  return groups(
    sql,
    sql`
      select * from groups where audit = 1 and deleted_at is null
        ${ifGiven(sql, ids, (value) => sql`and id = any(${value})`)}
        ${ifGiven(sql, category, (value) => sql`and category_id = ${value}`)} ${andContains(sql, 'name', keyword)}
        ${andAfterCursor(sql, sql`id`, after)}
      order by id desc ${limitClause(sql, { limit, offset, after })}`,
    sql`order by g.id desc`,
  )
}

export const listRecommended = (sql: Db, { limit = 20, offset, after, type }: RecommendedQuery) =>
  groups(
    sql,
    sql`
      select g.*, r.n as place from (
        select r.group_id, row_number() over () as n from (
          select r.group_id from group_recommends r where ${passed(sql, sql`r.group_id`)}
            ${andAfterRow(
              sql,
              type === 'random' ? 0 : after,
              sql`r.sort_by, r.group_id`,
              sql`select sort_by, group_id from group_recommends where group_id = ${after ?? 0}`,
            )}
          order by ${type === 'random' ? sql`random()` : sql`r.sort_by desc, r.group_id desc`}
          ${limitClause(sql, { limit, offset, after })}
        ) r
      ) r cross join lateral (select * from groups g where g.id = r.group_id offset 0) g`,
    sql`order by g.place`,
  )

const NEARBY_KM = 20

export function listNearby(sql: Db, { latitude, longitude, limit = 15, offset, after }: NearbyQuery) {
  const cells = geoCellsAround({ latitude, longitude }, NEARBY_KM)
  const km = sql`2 * 6371 * asin(sqrt(least(1, power(sin(radians(g.latitude - ${latitude}::float8) / 2), 2)
        + cos(radians(${latitude}::float8)) * cos(radians(g.latitude))
        * power(sin(radians(g.longitude - ${longitude}::float8) / 2), 2))))`
  return groups(
    sql,
    sql`
    select * from (
      select g.*, ${km} as km
      from groups g where g.geo_cell = any(${cells}::bigint[]) and g.audit = 1 and g.deleted_at is null
    ) g
    where g.km <= ${NEARBY_KM}
      ${andAfterRow(sql, after, sql`g.km, g.id`, sql`select ${km}, g.id from groups g where g.id = ${after ?? 0}`, 'asc')}
    order by g.km, g.id ${limitClause(sql, { limit, offset, after })}`,
    sql`order by g.km, g.id`,
  )
}

const pastGroup = (sql: Db, userId: number, after = 0) =>
  andAfterRow(
    sql,
    after,
    sql`m.id`,
    sql`select id from group_members where user_id = ${userId} and group_id = ${after}`,
  )

export const listGroupsOf = (
  sql: Db,
  userId: number,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
) =>
  groups(
    sql,
    sql`
      select g.*, m.id as member_id from (
        select m.id, m.group_id from group_members m
        where m.user_id = ${userId} and m.audit = 1 and not m.disabled and ${passed(sql, sql`m.group_id`)}
          ${pastGroup(sql, userId, page.after)}
        order by m.id desc ${limitClause(sql, { limit, ...page })}
      ) m cross join lateral (select * from groups g where g.id = m.group_id offset 0) g`,
    sql`order by g.member_id desc`,
  )

export function listMyGroups(sql: Db, userId: number, { type, limit = 20, ...page }: MyGroupsQuery) {
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
      ), false) ${pastGroup(sql, userId, page.after)}
      order by m.id desc ${limitClause(sql, { limit, ...page })}
    ) m
    cross join lateral (select * from groups g where g.id = m.group_id offset 0) g
    cross join lateral (select * from group_counts n where n.group_id = g.id offset 0) n
    order by m.id desc`
}

export type GroupPlace = { location: string; longitude: number; latitude: number; geo_hash: string }

type GroupValues = {
  name: string
  category_id: number
  mode: Mode
  money: number
  allow_feed: boolean
  permissions: Role[]
  summary: string | null
  notice: string | null
}

export async function insertGroup(
  sql: Db,
  userId: number,
  group: GroupValues & { place: GroupPlace | null },
): Promise<number> {
  const { name, place } = group
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into groups (name, name_key, name_grams, user_id, category_id, mode, money, allow_feed, permissions,
        summary, notice, location, longitude, latitude, geo_hash, geo_cell)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${userId}, ${group.category_id}, ${group.mode},
        ${group.money}, ${group.allow_feed}, ${group.permissions}, ${group.summary}, ${group.notice},
        ${place?.location ?? null}, ${place?.longitude ?? null}, ${place?.latitude ?? null},
        ${place?.geo_hash ?? null}, ${place ? geoCell(place) : null})
      returning id
    ),
    counted as (insert into group_counts (group_id, users_count) select id, 1 from made),
    founder as (
      insert into group_members (group_id, user_id, audit, role) select id, ${userId}::bigint, 1, 'founder' from made
    )
    select id from made`
  return row.id
}

export async function updateGroup(
  sql: Db,
  id: number,
  changes: Partial<GroupValues> & { avatar?: number; im_group_id?: string; place?: GroupPlace },
): Promise<void> {
  const { name, place } = changes
  const set = (column: keyof Omit<typeof changes, 'name' | 'place'>) =>
    ifGiven(sql, changes[column], (value) => sql`, ${sql(column)} = ${value}`)
  await sql`
    update groups set updated_at = now() ${set('category_id')} ${set('mode')} ${set('money')} ${set('allow_feed')}
      ${set('permissions')} ${set('summary')} ${set('notice')} ${set('avatar')} ${set('im_group_id')}
      ${ifGiven(sql, name, (text) => sql`, name = ${text}, name_key = ${nameKey(text)}, name_grams = ${grams(text)}`)}
      ${ifGiven(
        sql,
        place,
        (at) => sql`, location = ${at.location}, longitude = ${at.longitude}, latitude = ${at.latitude},
          geo_hash = ${at.geo_hash}, geo_cell = ${geoCell(at)}`,
      )}
    where id = ${id}`
}

export async function replaceTags(sql: Db, groupId: number, tagIds: number[]): Promise<void> {
  await sql`delete from group_tags where group_id = ${groupId} and tag_id <> all (${tagIds})`
  await sql`
    insert into group_tags (group_id, tag_id) select ${groupId}, id from unnest(${tagIds}::bigint[]) as t (id)
    on conflict do nothing`
}

export const addToTotal = (sql: Db, by: 1 | -1) =>
  sql`update group_totals set groups_count = groups_count + ${by}::int where one`

export async function setAudit(sql: Db, id: number, audit: 1 | 2) {
  const [row] = await sql<{ was: number; name: string; founder: number }[]>`
    with held as (
      select id, audit from groups where id = ${id} and deleted_at is null and audit <> ${audit} for no key update
    )
    update groups g set audit = ${audit}, updated_at = now() from held h where g.id = h.id
    returning h.audit as was, g.name, (
      select m.user_id from group_members m where m.group_id = g.id and m.role = 'founder'
    ) as founder`
  return row
}

export async function markDeleted(sql: Db, id: number) {
  const [row] = await sql<{ audit: number }[]>`
    update groups set deleted_at = now() where id = ${id} and deleted_at is null returning audit`
  return row
}

export const deleteGroup = (sql: Db, id: number) =>
  sql`delete from groups where id = ${id} and deleted_at is not null`
