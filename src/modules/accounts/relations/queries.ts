import { escapeLike, nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { andAfterRow, type Db, type Fragment, limitClause, transaction, when } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Cursor, Id, Limit, Offset, Text, Type, WithAlias } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'

export const followsOneself = apiError(
  422,
  'follows_oneself',
  'You cannot follow yourself.',
  '不能关注自己。',
)
export const alreadyFollowed = apiError(
  422,
  'already_followed',
  'You already follow this person.',
  '你已关注该用户。',
)

export const TargetParams = Type.Object({ target: Id })

/** Paginates by `after`, a user id, or by `offset` for existing clients. */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

export const MutualQuery = Type.Object({
  ...RelationQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})

export const isFollowing = (sql: Db, userId: number | Fragment, author: Fragment): Fragment => sql`
  coalesce((select true from user_follows made where made.user_id = ${userId} and made.target_id = ${author}), false)`

export const selectFollowed = (sql: Db, userId: number): Fragment => sql`
  select target_id from user_follows where user_id = ${userId}`

/**
 * Probes the index for each followed user, because the planner would underestimate the rows of a join and
 * compare all pairs of follows.
 */
export const friendsOf = (sql: Db, column: Fragment): Fragment => sql`
  select count(*)::int from user_follows mine
  where mine.user_id = ${column} and coalesce((
    select true from user_follows theirs where theirs.user_id = mine.target_id and theirs.target_id = mine.user_id
  ), false)`

type Page = { limit?: number; offset?: number; after?: number }

/**
 * Locks both users' counters in the order of user ids, so that two users who follow each other concurrently
 * do not deadlock.
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

export async function insertFollow(
  sql: Db,
  userId: number,
  targetId: number,
): Promise<{ found: boolean; blocked: boolean; made: boolean }> {
  const [row] = await sql<[{ found: boolean; blocked: boolean; made: boolean }]>`
    -- The lock waits for a transaction that disables the account, whose job then finds the follow.
    with target as (select id from users where id = ${targetId} and deleted_at is null for share),
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

export async function deleteFollow(
  sql: Db,
  userId: number,
  targetId: number,
): Promise<{ found: boolean; gone: boolean }> {
  const [row] = await sql<[{ found: boolean; gone: boolean }]>`
    with link as (
      delete from user_follows where user_id = ${userId} and target_id = ${targetId} returning target_id
    ),
    withheld as (
      delete from withheld_follows where user_id = ${userId} and target_id = ${targetId} returning target_id
    ),
    ${counted(sql, userId, targetId, -1)}
    select exists (select from withheld)
        or exists (select from users where id = ${targetId} and deleted_at is null) as found,
      exists (select from link) as gone`
  return row
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

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

const pastFollowing = (sql: Db, userId: number, after = 0) =>
  andAfterRow(
    sql,
    after,
    sql`f.id`,
    sql`select id from user_follows where user_id = ${userId} and target_id = ${after}`,
  )

export const listFollowingIds = async (sql: Db, userId: number, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f join users u on u.id = f.target_id and u.deleted_at is null
      where f.user_id = ${userId} ${pastFollowing(sql, userId, page.after)}
      order by f.id desc ${limitClause(sql, { limit, ...page })}`,
  )

export async function listMutualIds(
  sql: Db,
  userId: number,
  { keyword, limit = 15, ...page }: Page & { keyword?: string },
): Promise<number[]> {
  const key = nameKey(keyword ?? '')
  // Filters the user's follows without the trigram index, because the index would return matching names of
  // all users.
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

/** Returns false for an unknown or disabled user. Preserves follows between the two users (sign-in-16). */
export async function insertBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    link as (
      insert into user_blocks (user_id, target_id) select ${userId}, id from target on conflict do nothing
    )
    select exists (select from target) as found`
  return row.found
}

/** Returns false for an unknown user, and for a disabled user without a block by user `userId`. */
export async function deleteBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with link as (
      delete from user_blocks where user_id = ${userId} and target_id = ${targetId} returning target_id
    )
    select exists (select from link)
      or exists (select from users where id = ${targetId} and deleted_at is null) as found`
  return row.found
}

export async function listBlockedIds(
  sql: Db,
  userId: number,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select b.target_id as id from user_blocks b join users u on u.id = b.target_id and u.deleted_at is null
    where b.user_id = ${userId}
      ${andAfterRow(
        sql,
        page.after,
        sql`b.id`,
        sql`select id
          from user_blocks where user_id = ${userId} and target_id = ${page.after ?? 0}`,
      )}
    order by b.id desc ${limitClause(sql, { limit, ...page })}`
  return rows.map(({ id }) => id)
}

/**
 * Returns a condition that hides authors blocked by the viewer (conventions-26). An array instead of a join
 * preserves the index scan of the list.
 */
export const notBlockedBy = (sql: Db, viewerId: number, author: Fragment): Fragment =>
  when(
    sql,
    viewerId > 0,
    () => sql`and ${author} <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`,
  )

export const hasBlocked = (sql: Db, blocker: Fragment, target: number | Fragment): Fragment => sql`
  coalesce((select true from user_blocks b where b.user_id = ${blocker} and b.target_id = ${target}), false)`

const BATCH = 500

/** Backfills `friends_count`, which is null for accounts from earlier versions of Kith. */
async function countFriends({ sql }: Context): Promise<void> {
  for (;;) {
    const counted = await transaction(sql, async (tx) => {
      const rows = await tx<{ user_id: number }[]>`
        select user_id from user_counts where friends_count is null order by user_id limit ${BATCH} for update`
      // Counts friends in a second statement, whose snapshot includes follows committed before the lock.
      await tx`
        update user_counts c set friends_count = (${friendsOf(tx, tx`c.user_id`)})
        where user_id = any(${rows.map((row) => row.user_id)})`
      return rows.length
    })
    if (counted < BATCH) return
  }
}

export const followTasks = (ctx: Context): TaskList => ({ count_friends: () => countFriends(ctx) })

export const followSchedules: Schedule[] = [{ task: 'count_friends', pattern: '*/10 * * * *' }]
