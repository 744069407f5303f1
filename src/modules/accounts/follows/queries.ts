import { escapeLike, nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { Flag } from '#platform/pages/overlay.ts'
import { andPastRow, partOf, when } from '#platform/sql.ts'

/** Whether somebody follows the person of the column `author`: a value. */
export const isFollowing = (sql: Db, userId: number | Fragment, author: Fragment): Fragment => sql`
  coalesce((select true from user_follows made where made.user_id = ${userId} and made.target_id = ${author}), false)`

/** Whom somebody follows: a query of one column, `target_id`. */
export const followedBy = (sql: Db, userId: number): Fragment => sql`
  select target_id from user_follows where user_id = ${userId}`

/** The flag of people who follow the viewer. */
export const followsViewer: Flag = (sql, viewer, id) => sql`
  coalesce((select true from user_follows f where f.user_id = ${id} and f.target_id = ${viewer}), false)`

/** The flag of people whom the viewer follows. */
export const isFollowedByViewer: Flag = (sql, viewer, id) => isFollowing(sql, viewer, id)

type Page = { limit?: number; offset?: number; after?: number }

/**
 * Both people's counters change with the link, and their rows are locked in the order of ids, so that two who follow
 * each other at once wait instead of deadlocking.
 */
const counted = (sql: Db, userId: number, targetId: number, change: 1 | -1) => sql`
  locked as (
    select user_id from user_counts
    where user_id in (${userId}, ${targetId}) and exists (select from link) order by user_id for update
  ),
  counted as (
    update user_counts c set
      followings_count = c.followings_count + case when c.user_id = ${userId} then ${change}::int else 0 end,
      followers_count = c.followers_count + case when c.user_id = ${targetId} then ${change}::int else 0 end,
      updated_at = now()
    from locked where c.user_id = locked.user_id
  )`

/** Follows somebody who exists and has not blocked the follower; `made` is false when it was so already. */
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

/** Ends a following if there is one. A disabled account is found as long as it is followed. */
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

/** Who follows a person, the newest follower first. */
export const listFollowerIds = async (sql: Db, userId: number, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.user_id as id from user_follows f join users u on u.id = f.user_id and u.deleted_at is null
      where f.target_id = ${userId}
        ${andPastRow(
          sql,
          page.after,
          sql`f.id`,
          sql`select id
            from user_follows where user_id = ${page.after ?? 0} and target_id = ${userId}`,
        )}
      order by f.id desc ${partOf(sql, { limit, ...page })}`,
  )

/** Beyond somebody among those whom a person follows, who are the rows `f`. */
const pastFollowing = (sql: Db, userId: number, after = 0) =>
  andPastRow(
    sql,
    after,
    sql`f.id`,
    sql`select id from user_follows where user_id = ${userId} and target_id = ${after}`,
  )

/** Whom a person follows, the newest first. */
export const listFollowingIds = async (sql: Db, userId: number, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f join users u on u.id = f.target_id and u.deleted_at is null
      where f.user_id = ${userId} ${pastFollowing(sql, userId, page.after)}
      order by f.id desc ${partOf(sql, { limit, ...page })}`,
  )

/** Whom a person follows and is followed by, the newest following first. */
export async function listMutualIds(
  sql: Db,
  userId: number,
  { keyword, limit = 15, ...page }: Page & { keyword?: string },
): Promise<number[]> {
  const key = nameKey(keyword ?? '')
  // No grams here: what one person follows is fewer than who has a name like it.
  const named = when(sql, key !== '', () => sql`and u.name_key like ${`%${escapeLike(key)}%`}`)
  return idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f
      join user_follows back on back.user_id = f.target_id and back.target_id = f.user_id
      join users u on u.id = f.target_id and u.deleted_at is null ${named}
      where f.user_id = ${userId} ${pastFollowing(sql, userId, page.after)}
      order by f.id desc ${partOf(sql, { limit, ...page })}`,
  )
}
