import { geoCell, geoCellsAround } from '#lib/geo.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Currency } from '#modules/ledger/index.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { isMember, isShown, type MemberRow, memberColumns } from '../queries.ts'
import type { Mode, Role } from '../schema.ts'
import type { GroupListQuery, MyGroupsQuery, NearbyQuery } from './schema.ts'

export type CategoryRow = {
  id: number
  name: string
  sort_by: number
  status: number
  created_at: string
  updated_at: string
}

export type GroupRow = {
  id: number
  name: string
  user_id: number
  category_id: number
  avatar: number | null
  location: string | null
  longitude: number | null
  latitude: number | null
  geo_hash: string | null
  allow_feed: boolean
  mode: Mode
  permissions: Role[]
  money: number
  summary: string | null
  notice: string | null
  audit: number
  im_group_id: string | null
  created_at: string
  updated_at: string
  users_count: number
  posts_count: number
  excellen_posts_count: number
  join_income_count: number
  pinned_income_count: number
}

/** The columns of `groups g` and its `group_counts n`. */
export const groupColumns = (sql: Db) => sql`
  g.id, g.name, g.user_id, g.category_id, g.avatar, g.location, g.longitude, g.latitude, g.geo_hash, g.allow_feed, g.mode,
  g.permissions, g.money, g.summary, g.notice, g.audit, g.im_group_id, g.created_at, g.updated_at, n.users_count,
  n.posts_count, n.excellen_posts_count, n.join_income_count, n.pinned_income_count`

/** A page of circles: the rows are chosen before their counts are looked up. */
const groups = (sql: Db, from: Fragment, order: Fragment) => sql<GroupRow[]>`
  select ${groupColumns(sql)} from (${from}) g cross join lateral (
    select * from group_counts n where n.group_id = g.id offset 0
  ) n
  ${order}`

/** Whether a circle that a row names has passed: a condition for each row, so that the list stays a walk. */
const passed = (sql: Db, groupId: Fragment) =>
  sql`coalesce((select g.audit = 1 and g.deleted_at is null from groups g where g.id = ${groupId}), false)`

export const listCategories = (sql: Db) => sql<CategoryRow[]>`
  select id, name, sort_by, status, created_at, updated_at from group_categories
  where status = 0 order by sort_by desc, id`

export const findCategory = async (sql: Db, id: number) =>
  (
    await sql<CategoryRow[]>`
      select id, name, sort_by, status, created_at, updated_at from group_categories where id = ${id}`
  )[0]

export const countGroups = async (sql: Db) =>
  (await sql<[{ count: number }]>`select groups_count as count from group_totals where one`)[0].count

/** Counts a circle that can be found now, or no longer. */
export const addToTotal = (sql: Db, by: 1 | -1) =>
  sql`update group_totals set groups_count = groups_count + ${by}::int where one`

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

/** Circles by id that exist for the viewer, newest first. */
export const findGroups = (sql: Db, ids: number[], viewerId: number) =>
  groups(
    sql,
    sql`select g.* from groups g where g.id = any(${ids}) and ${isShown(sql, viewerId)}`,
    sql`order by g.id desc`,
  )

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

export const findGroup = async (sql: Db, id: number, viewerId: number) =>
  (await findGroups(sql, [id], viewerId))[0]

/** The tags, the founder and the number of blacklisted members of a circle. */
export async function findGroupParts(sql: Db, id: number) {
  const [tags, [founder], [counted]] = await Promise.all([
    sql<{ tag_id: number }[]>`select tag_id from group_tags where group_id = ${id}`,
    sql<MemberRow[]>`
      select ${memberColumns(sql)} from group_members m where m.group_id = ${id} and m.role = 'founder'`,
    sql<[{ n: number }]>`select count(*)::int as n from group_members where group_id = ${id} and disabled`,
  ])
  return { tagIds: tags.map(({ tag_id }) => tag_id), founder, blacklisted: counted.n }
}

export type GroupPlace = { location: string; longitude: number; latitude: number; geo_hash: string }

export type GroupValues = {
  name: string
  category_id: number
  mode: Mode
  money: number
  allow_feed: boolean
  permissions: Role[]
  summary: string | null
  notice: string | null
}

/** Makes a circle with its founder in it. */
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

/** Changes the fields that are given. */
export async function updateGroup(
  sql: Db,
  id: number,
  changes: Partial<GroupValues> & { avatar?: number; place?: GroupPlace; im_group_id?: string },
): Promise<void> {
  const { name, place, avatar, im_group_id } = changes
  const set = (column: Exclude<keyof GroupValues, 'name'>) => {
    const value = changes[column]
    return value === undefined ? sql`` : sql`, ${sql(column as string)} = ${value}`
  }
  await sql`
    update groups set updated_at = now()
      ${name === undefined ? sql`` : sql`, name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}`}
      ${set('category_id')} ${set('mode')} ${set('money')} ${set('allow_feed')} ${set('permissions')} ${set('summary')}
      ${set('notice')} ${avatar === undefined ? sql`` : sql`, avatar = ${avatar}`}
      ${im_group_id === undefined ? sql`` : sql`, im_group_id = ${im_group_id}`}
      ${
        place
          ? sql`, location = ${place.location}, longitude = ${place.longitude}, latitude = ${place.latitude},
              geo_hash = ${place.geo_hash}, geo_cell = ${geoCell(place)}`
          : sql``
      }
    where id = ${id}`
}

/** Gives a circle these tags and no others. */
export async function replaceTags(sql: Db, groupId: number, tagIds: number[]): Promise<void> {
  await sql`delete from group_tags where group_id = ${groupId} and tag_id <> all (${tagIds})`
  await sql`
    insert into group_tags (group_id, tag_id) select ${groupId}, id from unnest(${tagIds}::bigint[]) as t (id)
    on conflict do nothing`
}

/** Which of these circles exist for the viewer. */
export async function findVisibleGroups(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select g.id from groups g where g.id = any(${ids}) and ${isShown(sql, viewerId)}`
  return new Set(rows.map(({ id }) => id))
}

/** Which of these circles the viewer is in. */
export async function findJoined(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    select g.id from groups g where g.id = any(${ids}) and ${isMember(sql, viewerId)}`
  return new Set(rows.map(({ id }) => id))
}

/** Changes the state of a circle; undefined when it is in it already. */
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

/** Hides a circle for good; undefined when there is none. */
export async function markDeleted(sql: Db, id: number) {
  const [row] = await sql<{ audit: number }[]>`
    update groups set deleted_at = now() where id = ${id} and deleted_at is null returning audit`
  return row
}

/** Takes all waiting requests to join back; answers those that were paid for. */
export const closeRequests = (sql: Db, groupId: number) => sql<
  { id: number; user_id: number; fee: number; currency: Currency }[]
>`
  with closed as (
    update group_member_logs set status = 3, audit_at = now() where group_id = ${groupId} and status = 0
    returning id, user_id, fee, currency
  )
  select id, user_id, fee, currency from closed where fee > 0 order by id`

/** Deletes some of the people of a deleted circle; answers how many. */
export async function deleteMembers(sql: Db, groupId: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from group_members where group_id = ${groupId} and user_id in (
      select user_id from group_members where group_id = ${groupId} limit ${limit}
    )`
  return gone.count
}

/** Deletes what is left of a deleted circle. */
export const deleteGroup = (sql: Db, id: number) =>
  sql`delete from groups where id = ${id} and deleted_at is not null`
