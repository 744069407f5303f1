import type { Login } from '#lib/identifiers.ts'
import { escapeLike, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import {
  andAfterCursor,
  type Db,
  type Fragment,
  ifGiven,
  type Row,
  sortDirection,
  type Tables,
  type Tx,
  when,
} from '#platform/database'
import { accountErased, blocked } from '#platform/errors.ts'
import { isFollowing, isMuteActive, noBlockBetween } from './relations/queries.ts'

/** Every change of a column below advances `content_version`, which is a part of the cached user's key. */
export type UserTextRow = Row<
  'users',
  'id' | 'content_version' | 'name' | 'bio' | 'sex' | 'location' | 'created_at' | 'updated_at'
> & {
  avatar: StoredNode | null
  bg: StoredNode | null
  verified: { type: string; icon: string | null; description: string | null } | null
}

export type UserRow = Row<'users', 'id' | 'content_version'> &
  Omit<Tables['user_counts'], 'user_id' | 'updated_at' | 'friends_count' | 'relations_version'> & {
    counts_updated_at: Tables['user_counts']['updated_at']
  }

/** State of the viewer that determines the flags `following`, `follower` and `blacked` of other users. */
export type ViewerState = {
  /** Changes whenever a follow of or by the viewer begins or ends. Null for guests. */
  relationsVersion: string | null
  blacked: number[]
  /** Users with a block in either direction, who are hidden from the viewer (relations-2). */
  hidden: number[]
  muted: number[]
  /** Folded words that the viewer mutes (relations-6). */
  mutedWords: string[]
}

/**
 * Omits disabled users. Reads the rows as one comma-separated text, because the database and the driver take
 * longer to transfer rows or arrays than to look up the users.
 */
export async function findUserRows(
  sql: Db,
  ids: number[],
  viewerId: number,
): Promise<ViewerState & { rows: UserRow[] }> {
  const viewerColumns = sql`
    (select relations_version from user_counts where user_id = ${viewerId}) as "relationsVersion",
    case when exists (select from user_blocks where user_id = ${viewerId}) then array(
      select target_id from user_blocks where user_id = ${viewerId} and target_id = any(${ids})
    ) else '{}' end as blacked,
    case when exists (select from user_blocks where target_id = ${viewerId}) then array(
      select user_id from user_blocks where target_id = ${viewerId} and user_id = any(${ids})
    ) else '{}' end as blockers,
    array(
      select m.target_id from user_mutes m
      where m.user_id = ${viewerId} and m.target_id = any(${ids}) and ${isMuteActive(sql, 'm')}
    ) as muted,
    array(
      select w.word_key from muted_words w
      where w.user_id = ${viewerId} and (w.ends_at is null or w.ends_at > now())
    ) as "mutedWords",`
  const [read] = await sql<[Partial<ViewerState> & { users: string | null; blockers?: number[] }]>`
    select ${when(sql, viewerId > 0, () => viewerColumns)}
      string_agg(concat_ws(',', u.id, u.content_version, c.likes_count, c.comments_count, c.followers_count,
        c.followings_count, c.feeds_count, c.questions_count, c.answers_count, c.checkin_count,
        c.last_checkin_count, c.updated_at), ',') as users
    from users u join user_counts c on c.user_id = u.id
    where u.id = any(${ids}) and u.deleted_at is null`
  const { users, relationsVersion = null, blacked = [], blockers = [], muted = [], mutedWords = [] } = read
  const values = users === null ? [] : users.split(',')
  const rows: UserRow[] = []
  let at = 0
  const next = () => Number(values[at++])
  while (at < values.length)
    rows.push({
      id: next(),
      content_version: values[at++]!,
      likes_count: next(),
      comments_count: next(),
      followers_count: next(),
      followings_count: next(),
      feeds_count: next(),
      questions_count: next(),
      answers_count: next(),
      checkin_count: next(),
      last_checkin_count: next(),
      counts_updated_at: values[at++]!,
    })
  return { rows, relationsVersion, blacked, hidden: [...blacked, ...blockers], muted, mutedWords }
}

/** Maximum number of followers, and of followings, that the server caches per user. */
const MAX_CACHED_FOLLOWS = 500

export type Follows = {
  version: string
  /** True if the arrays contain all follows. Otherwise they contain only the follows among `ids`. */
  isComplete: boolean
  followers: number[]
  followings: number[]
}

/**
 * Reads the ids of the user's followers and followings. If they are too many to cache, reads only those among
 * `ids`.
 */
export async function findFollows(sql: Db, userId: number, ids: number[]): Promise<Follows | undefined> {
  const among = (related: Fragment) => sql`
    array(select given.id from unnest(${ids}::bigint[]) as given (id) where ${related})`
  const [row] = await sql<Follows[]>`
    select c.relations_version as version, few as "isComplete",
      case when few then array(select user_id from user_follows where target_id = ${userId})
        else ${among(isFollowing(sql, sql`given.id`, sql`${userId}`))} end as followers,
      case when few then array(select target_id from user_follows where user_id = ${userId})
        else ${among(isFollowing(sql, userId, sql`given.id`))} end as followings
    from user_counts c
    cross join lateral (
      select greatest(c.followers_count, c.followings_count) <= ${MAX_CACHED_FOLLOWS}::int as few
    ) size
    where c.user_id = ${userId}`
  return row
}

export const findUserTexts = (sql: Db, ids: number[]) => sql<UserTextRow[]>`
  select u.id, u.content_version, u.name, u.bio, u.sex, u.location, u.avatar, u.bg, u.verified, u.created_at, u.updated_at
  from users u where u.id = any(${ids})`

type UserFilter = {
  ids?: number[] | undefined
  names?: string[] | undefined
  search?: string | undefined
  tags?: number[] | undefined
  since?: number | undefined
  order: 'asc' | 'desc'
  limit: number
  viewerId: number
}

/** Adds no condition for a blank text. */
export const nameContains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and u.name_grams @> ${gramsOfQuery(key)} and u.name_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Uses two conditions, because enabled and disabled users have separate partial indexes. */
export const sqlNameContainsEvenDisabled = (sql: Db, text: string | undefined) => sql`
  (u.deleted_at is null ${nameContains(sql, text)} or u.deleted_at is not null ${nameContains(sql, text)})`

export const userIdsNamed = (sql: Db, text: string): Fragment =>
  sql`select u.id from users u where ${sqlNameContainsEvenDisabled(sql, text)}`

export async function listUserIds(sql: Db, filter: UserFilter): Promise<number[]> {
  const { ids, names, search, tags, since = 0, order, limit, viewerId } = filter
  // Requests by ids or whole names look up known users, such as the members of a chat.
  const isLookup = ids !== undefined || names !== undefined
  const rows = await sql<{ id: number }[]>`
    select u.id from users u
    where u.deleted_at is null ${nameContains(sql, search)}
      ${ifGiven(sql, ids, (some) => sql`and u.id = any(${some})`)}
      ${ifGiven(sql, names, (keys) => sql`and u.name_key = any(${keys})`)}
      ${ifGiven(sql, tags, (some) => sql`and u.id in (select user_id from user_tags where tag_id = any(${some}))`)}
      ${andAfterCursor(sql, sql`u.id`, since, order)}
      ${when(sql, !isLookup, () => noBlockBetween(sql, viewerId, sql`u.id`))}
    order by u.id ${sortDirection(sql, order)} limit ${limit}`
  return rows.map(({ id }) => id)
}

/** True for disabled and erased accounts too. */
export const accountExists = async (sql: Db, id: number): Promise<boolean> =>
  (await sql`select from users where id = ${id}`).count > 0

export async function isUser(sql: Db, id: number): Promise<boolean> {
  return (await enabledUser(sql, id)).length > 0
}

export const enabledUser = (sql: Db, id: number): Fragment => sql`
  select id from users where id = ${id} and deleted_at is null`

export const nameOf = (sql: Db, column: Fragment): Fragment => sql`
  select named.name from users named where named.id = ${column} and named.deleted_at is null`

export const withEnabledUser = (sql: Db, column: Fragment): Fragment => sql`
  join users u on u.id = ${column} and u.deleted_at is null`

export async function findEnabledIds(sql: Db, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where id = any(${ids}) and deleted_at is null order by id`
  return rows.map(({ id }) => id)
}

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

export async function findRelation(sql: Db, userId: number, otherId: number) {
  const [row] = await sql<[{ following: boolean; follower: boolean }]>`
    select exists (select from user_follows where user_id = ${userId} and target_id = ${otherId}) as following,
      exists (select from user_follows where user_id = ${otherId} and target_id = ${userId}) as follower`
  return row
}

export async function findBlockers(sql: Db, userId: number, candidates: number[]): Promise<Set<number>> {
  if (candidates.length === 0) return new Set()
  const rows = await sql<{ user_id: number }[]>`
    select user_id from user_blocks where target_id = ${userId} and user_id = any(${candidates})`
  return new Set(rows.map((row) => row.user_id))
}

export const isVerified = async (sql: Db, userId: number): Promise<boolean> =>
  (await sql`select from users where id = ${userId} and verified is not null`).length > 0

export async function setVerified(sql: Db, userId: number, verified: UserTextRow['verified']): Promise<void> {
  await sql`
    update users set verified = ${verified === null ? null : sql.json(verified)}, updated_at = now()
    where id = ${userId}`
}

/** Throws 403 if any of `others` blocks `userId` (conventions-26). */
export async function requireNotBlocked(sql: Db, userId: number, others: number[]): Promise<void> {
  if ((await findBlockers(sql, userId, others)).size > 0) throw blocked()
}

/** Throws 422 for an erased account. Locks the account, so that no erasure starts before the transaction ends. */
export async function requireNotErased(tx: Tx, userId: number): Promise<void> {
  const [row] = await tx<{ erased: boolean }[]>`
    select erased_at is not null as erased from users where id = ${userId} for no key update`
  if (row?.erased) throw accountErased()
}
