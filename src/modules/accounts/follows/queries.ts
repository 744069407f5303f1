import { escapeLike, nameKey } from '#lib/text.ts'
import { andAfterRow, type Db, type Fragment, limitClause, when } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Cursor, Id, Limit, Offset, Text, Type, WithAlias } from '#platform/http'

export const followsOneself = apiError(
  422,
  'follows_oneself',
  'You cannot follow yourself.',
  '不能关注自己。',
)
export const alreadyFollowed = apiError(
  422,
  'already_followed',
  'You follow this person already.',
  '你已经关注了该用户。',
)

export const TargetParams = Type.Object({ target: Id })

/** Pagination of follows: after a user, or by row offset for existing clients. */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

export const MutualQuery = Type.Object({
  ...RelationQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})

/** SQL value: whether `userId` follows the user in the column `author`. */
export const isFollowing = (sql: Db, userId: number | Fragment, author: Fragment): Fragment => sql`
  coalesce((select true from user_follows made where made.user_id = ${userId} and made.target_id = ${author}), false)`

/** Subquery of `target_id` for the users that someone follows. */
export const followedBy = (sql: Db, userId: number): Fragment => sql`
  select target_id from user_follows where user_id = ${userId}`

/**
 * Subquery of the number of users who follow the user in `column` and whom they follow. Looks up each of the followed,
 * because the planner expects few rows of a join and compares all pairs.
 */
export const friendsOf = (sql: Db, column: Fragment): Fragment => sql`
  select count(*)::int from user_follows mine
  where mine.user_id = ${column} and coalesce((
    select true from user_follows theirs where theirs.user_id = mine.target_id and theirs.target_id = mine.user_id
  ), false)`

type Page = { limit?: number; offset?: number; after?: number }

/**
 * Updates both users' counters with the link. Locks their rows by id, so that two users who follow each other
 * at once wait instead of deadlocking. A counter that had fallen behind stays at 0 until `kith doctor` counts anew.
 */
const counted = (sql: Db, userId: number, targetId: number, change: 1 | -1) => sql`
  locked as (
    select user_id from user_counts
    where user_id in (${userId}, ${targetId}) and exists (select from link) order by user_id for update
  ),
  counted as (
    update user_counts c set
      followings_count = greatest(c.followings_count + case when c.user_id = ${userId} then ${change}::int else 0 end, 0),
      followers_count = greatest(c.followers_count + case when c.user_id = ${targetId} then ${change}::int else 0 end, 0),
      updated_at = now()
    from locked where c.user_id = locked.user_id
  )`

/** Follows an existing user who has not blocked the follower. `made` is false for a duplicate. */
export async function insertFollow(
  sql: Db,
  userId: number,
  targetId: number,
): Promise<{ found: boolean; blocked: boolean; made: boolean }> {
  const [row] = await sql<[{ found: boolean; blocked: boolean; made: boolean }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    block as (select from user_blocks where user_id = ${targetId} and target_id = ${userId}),
    link as (
      insert into user_follows (user_id, target_id)
      select ${userId}, id from target where not exists (select from block)
      on conflict do nothing returning target_id
    ),
    ${counted(sql, userId, targetId, 1)}
    select exists (select from target) as found, exists (select from block) as blocked,
      exists (select from link) as made`
  return row
}

/** Removes a follow. Finds a disabled account only while it is followed. */
export async function deleteFollow(
  sql: Db,
  userId: number,
  targetId: number,
): Promise<{ found: boolean; gone: boolean }> {
  const [row] = await sql<[{ found: boolean; gone: boolean }]>`
    with link as (
      delete from user_follows where user_id = ${userId} and target_id = ${targetId} returning target_id
    ),
    ${counted(sql, userId, targetId, -1)}
    select exists (select from users where id = ${targetId} and deleted_at is null) as found,
      exists (select from link) as gone`
  return row
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

/** Followers of a user, newest first. */
export const listFollowerIds = async (sql: Db, userId: number, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.user_id as id from user_follows f join users u on u.id = f.user_id and u.deleted_at is null
      where f.target_id = ${userId}
        ${andAfterRow(
          sql,
          page.after,
          sql`f.id`,
          sql`select id
            from user_follows where user_id = ${page.after ?? 0} and target_id = ${userId}`,
        )}
      order by f.id desc ${limitClause(sql, { limit, ...page })}`,
  )

/** Cursor condition past a user in the follows `f`. */
const pastFollowing = (sql: Db, userId: number, after = 0) =>
  andAfterRow(
    sql,
    after,
    sql`f.id`,
    sql`select id from user_follows where user_id = ${userId} and target_id = ${after}`,
  )

/** Users that someone follows, newest first. */
export const listFollowingIds = async (sql: Db, userId: number, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f join users u on u.id = f.target_id and u.deleted_at is null
      where f.user_id = ${userId} ${pastFollowing(sql, userId, page.after)}
      order by f.id desc ${limitClause(sql, { limit, ...page })}`,
  )

/** Mutual followers of a user, newest following first. */
export async function listMutualIds(
  sql: Db,
  userId: number,
  { keyword, limit = 15, ...page }: Page & { keyword?: string },
): Promise<number[]> {
  const key = nameKey(keyword ?? '')
  // Uses no trigram index, because a user follows fewer people than share a part of a name.
  const named = when(sql, key !== '', () => sql`and u.name_key like ${`%${escapeLike(key)}%`}`)
  return idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f
      join user_follows back on back.user_id = f.target_id and back.target_id = f.user_id
      join users u on u.id = f.target_id and u.deleted_at is null ${named}
      where f.user_id = ${userId} ${pastFollowing(sql, userId, page.after)}
      order by f.id desc ${limitClause(sql, { limit, ...page })}`,
  )
}
