import type { Login } from '#lib/identifiers.ts'
import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { andPast, directionOf, ifGiven, when } from '#platform/sql.ts'
import type { Row, Tables } from '#platform/tables.ts'
import { hasBlocked } from '../blocks/queries.ts'
import { isFollowing } from '../follows/queries.ts'

export type UserRow = Row<'users', 'id' | 'name' | 'bio' | 'sex' | 'location' | 'created_at' | 'updated_at'> &
  Omit<Tables['user_counts'], 'user_id' | 'updated_at'> & {
    avatar: StoredNode | null
    bg: StoredNode | null
    verified: { type: string; icon: string | null; description: string | null } | null
    following: boolean
    follower: boolean
    blacked: boolean
    counts_updated_at: Tables['user_counts']['updated_at']
  }

/** People by ids with their counts and the viewer's relation to them, disabled accounts left out unless asked for. */
export const findUserRows = (sql: Db, ids: number[], viewerId: number, withDisabled: boolean) => sql<
  UserRow[]
>`
  select u.id, u.name, u.bio, u.sex, u.location, u.avatar, u.bg, u.verified, u.created_at, u.updated_at,
    coalesce((select true from user_follows f where f.user_id = u.id and f.target_id = ${viewerId}), false) as following,
    ${isFollowing(sql, viewerId, sql`u.id`)} as follower,
    coalesce((select true from user_blocks b where b.user_id = ${viewerId} and b.target_id = u.id), false) as blacked,
    c.likes_count, c.comments_count, c.followers_count, c.followings_count, c.feeds_count, c.questions_count,
    c.answers_count, c.checkin_count, c.last_checkin_count, c.updated_at as counts_updated_at
  from users u join user_counts c on c.user_id = u.id
  where u.id = any(${ids}) ${when(sql, !withDisabled, () => sql`and u.deleted_at is null`)}`

export type UserFilter = {
  ids?: number[] | undefined
  /** Name keys, of which a person has one. */
  names?: string[] | undefined
  /** A part of the name. */
  search?: string | undefined
  tags?: number[] | undefined
  /** Strictly after this id in the order. */
  since?: number | undefined
  order: 'asc' | 'desc'
  limit: number
}

/** The condition that finds a part of a name in any script, through an index; nothing for a text that shows nothing. */
export const nameContains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and u.name_grams @> ${gramsOfQuery(key)} and u.name_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Whether the name of `u`, disabled or not, has this part: as two conditions, since each has an index of its own. */
export const anyNameContains = (sql: Db, text: string | undefined) => sql`
  (u.deleted_at is null ${nameContains(sql, text)} or u.deleted_at is not null ${nameContains(sql, text)})`

/** A page of people who are not disabled, by id. */
export async function listUserIds(sql: Db, filter: UserFilter): Promise<number[]> {
  const { ids, names, search, tags, since = 0, order, limit } = filter
  const rows = await sql<{ id: number }[]>`
    select u.id from users u
    where u.deleted_at is null ${nameContains(sql, search)}
      ${ifGiven(sql, ids, (some) => sql`and u.id = any(${some})`)}
      ${ifGiven(sql, names, (keys) => sql`and u.name_key = any(${keys})`)}
      ${ifGiven(sql, tags, (some) => sql`and u.id in (select user_id from user_tags where tag_id = any(${some}))`)}
      ${andPast(sql, sql`u.id`, since, order)}
    order by u.id ${directionOf(sql, order)} limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Whether there is such a person whose account is not disabled. */
export async function isUser(sql: Db, id: number): Promise<boolean> {
  return (await enabledUser(sql, id)).length > 0
}

/** The person of an id whose account is not disabled: a query of one column, `id`, that may be locked. */
export const enabledUser = (sql: Db, id: number): Fragment => sql`
  select id from users where id = ${id} and deleted_at is null`

/** The name of the person of a column, none for a disabled account: a query of one column. */
export const nameOf = (sql: Db, column: Fragment): Fragment => sql`
  select named.name from users named where named.id = ${column} and named.deleted_at is null`

/** Joins the person of a column as `u`, and leaves out the rows of disabled accounts. */
export const withEnabledUser = (sql: Db, column: Fragment): Fragment => sql`
  join users u on u.id = ${column} and u.deleted_at is null`

/** Which of these people there are, without disabled accounts. */
export async function findEnabledIds(sql: Db, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where id = any(${ids}) and deleted_at is null order by id`
  return rows.map(({ id }) => id)
}

/** The people whose names have these keys, without disabled accounts. */
export async function findPeopleByKeys(sql: Db, keys: string[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where name_key = any(${keys}) and deleted_at is null order by id`
  return rows.map(({ id }) => id)
}

/** People by id or by the key of their name, disabled accounts left out, and whether they block the viewer. */
export const findAddressed = (sql: Db, viewerId: number, ids: number[], nameKeys: string[]) => sql<
  { id: number; name_key: string; blocks: boolean }[]
>`
  select u.id, u.name_key, ${hasBlocked(sql, sql`u.id`, viewerId)} as blocks
  from users u
  where u.deleted_at is null and (
    u.id = any(${ids}) ${when(sql, nameKeys.length > 0, () => sql`or u.name_key = any(${nameKeys})`)}
  )`

/** The person a login identifier stands for, unless disabled. */
export async function findUserId(sql: Db, { kind, value }: Login): Promise<number | undefined> {
  const is = {
    id: sql`id = ${value}`,
    name: sql`name_key = ${nameKey(String(value))}`,
    email: sql`email_key = ${value}`,
    phone: sql`phone = ${value}`,
  }
  const [row] = await sql<{ id: number }[]>`
    select id from users where ${is[kind]} and deleted_at is null`
  return row?.id
}

/** Which of two people follows the other. */
export async function findRelation(sql: Db, userId: number, otherId: number) {
  const [row] = await sql<[{ following: boolean; follower: boolean }]>`
    select exists (select from user_follows where user_id = ${userId} and target_id = ${otherId}) as following,
      exists (select from user_follows where user_id = ${otherId} and target_id = ${userId}) as follower`
  return row
}

/** Which of these people have blocked `userId`, who may then not follow, comment, like, mention or reward them. */
export async function findBlockers(sql: Db, userId: number, candidates: number[]): Promise<Set<number>> {
  if (candidates.length === 0) return new Set()
  const rows = await sql<{ user_id: number }[]>`
    select user_id from user_blocks where target_id = ${userId} and user_id = any(${candidates})`
  return new Set(rows.map((row) => row.user_id))
}

/** Whether a person's identity is certified. */
export const isVerified = async (sql: Db, userId: number): Promise<boolean> =>
  (await sql`select from users where id = ${userId} and verified is not null`).length > 0

/** Sets what is shown of a person's certified identity; null for none. */
export async function setVerified(sql: Db, userId: number, verified: UserRow['verified']): Promise<void> {
  await sql`
    update users set verified = ${verified === null ? null : sql.json(verified)}, updated_at = now()
    where id = ${userId}`
}
