import type { Db, Fragment } from '#platform/database.ts'
import { isMember, isShown, type MemberRow, memberColumns } from '../../queries.ts'
import type { Mode, Role } from '../../schema.ts'

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
export const groups = (sql: Db, from: Fragment, order: Fragment) => sql<GroupRow[]>`
  select ${groupColumns(sql)} from (${from}) g cross join lateral (
    select * from group_counts n where n.group_id = g.id offset 0
  ) n
  ${order}`

/** The categories that are shown, in their order. */
export const listCategories = (sql: Db) => sql<CategoryRow[]>`
  select id, name, sort_by, status, created_at, updated_at from group_categories
  where status = 0 order by sort_by desc, id`

/** A category, hidden or not. */
export const findCategory = async (sql: Db, id: number) =>
  (
    await sql<CategoryRow[]>`
      select id, name, sort_by, status, created_at, updated_at from group_categories where id = ${id}`
  )[0]

/** How many circles can be found. */
export const countGroups = async (sql: Db) =>
  (await sql<[{ count: number }]>`select groups_count as count from group_totals where one`)[0].count

/** Circles by id that exist for the viewer, newest first. */
export const findGroups = (sql: Db, ids: number[], viewerId: number) =>
  groups(
    sql,
    sql`select g.* from groups g where g.id = any(${ids}) and ${isShown(sql, viewerId)}`,
    sql`order by g.id desc`,
  )

/** The same for one. */
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
