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

export const blocksTarget = apiError(
  403,
  'blocks_target',
  'You block this person. Unblock them first.',
  '你已将该用户加入黑名单，请先移出黑名单。',
)

export const TargetParams = Type.Object({ target: Id })
export const FollowerParams = Type.Object({ follower: Id })

/** Paginates by `after`, a user id, or by `offset` for existing clients. */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

export const MutualQuery = Type.Object({
  ...RelationQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})

export const isFollowing = (sql: Db, userId: number | Fragment, author: Fragment): Fragment => sql`
  coalesce((select true from user_follows made where made.user_id = ${userId} and made.target_id = ${author}), false)`

/** Includes follows that are withheld while one of the accounts is disabled. */
const hasFollow = (sql: Db, userId: number, author: Fragment): Fragment => sql`
  (${isFollowing(sql, userId, author)} or coalesce((
    select true from withheld_follows kept where kept.user_id = ${userId} and kept.target_id = ${author}
  ), false))`

export const isPrivate = (sql: Db, author: Fragment): Fragment => sql`
  coalesce((select true from private_accounts closed where closed.user_id = ${author}), false)`

/** Returns those of the users who may see the feeds of the author (relations-8). */
export async function listOpenTo(sql: Db, author: number, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select t.id from unnest(${ids}::bigint[]) as t (id)
    where t.id = ${author} or not ${isPrivate(sql, sql`${author}::bigint`)} or ${isFollowing(sql, sql`t.id`, sql`${author}`)}`
  return rows.map(({ id }) => id)
}

/**
 * The only condition on content of private accounts: true for public accounts, the author and followers (relations-8).
 * Probes once per row by primary key, because a site may have more private accounts than fit into an array.
 */
export const isOpenTo = (sql: Db, viewerId: number, author: Fragment): Fragment => sql`
  not coalesce((
    select true from private_accounts closed where closed.user_id = ${author}
      ${when(sql, viewerId > 0, () => sql`and closed.user_id <> ${viewerId} and not ${hasFollow(sql, viewerId, sql`closed.user_id`)}`)}
  ), false)`

export async function findAccess(
  sql: Db,
  userId: number,
  targetId: number,
): Promise<{ private: boolean; requested: boolean; requests: boolean }> {
  const [row] = await sql<[{ private: boolean; requested: boolean; requests: boolean }]>`
    select exists (select from private_accounts where user_id = ${targetId}) as private,
      exists (select from follow_requests where user_id = ${userId} and target_id = ${targetId}) as requested,
      exists (select from follow_requests where user_id = ${targetId} and target_id = ${userId}) as requests`
  return row
}

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
 * Locks the counters of both users in the order of user ids. Every change of a follow or block between them takes this
 * lock in an earlier statement, so that the next one sees what the other transaction committed. Otherwise a follow
 * could survive the block that began beside it (relations-1).
 */
export const lockPair = (sql: Db, userId: number, otherId: number) => sql`
  select from user_counts where user_id in (${userId}, ${otherId}) order by user_id for update`

/** Updates the counters for the follows in `link`, whose rows are the ids of followers and followed users. */
const counted = (sql: Db, userId: number, otherId: number, change: 1 | -1) => sql`
  counted as (
    update user_counts c set
      followings_count = greatest(c.followings_count + ${change}::int * (select count(*) from link where link.user_id = c.user_id)::int, 0),
      followers_count = greatest(c.followers_count + ${change}::int * (select count(*) from link where link.target_id = c.user_id)::int, 0),
      updated_at = now()
    where c.user_id in (${userId}, ${otherId}) and exists (select from link)
  )`

type Follow = {
  found: boolean
  blockers: number[]
  made: boolean
  /** True if a request waits. */
  asked: boolean
  /** True if this call made the request. */
  new: boolean
  /** True if the follow replaced an earlier request. */
  answered: boolean
}

/**
 * Inserts a request instead of a follow if the target is private and has not accepted (relations-9). Call after
 * `lockPair`.
 */
export async function insertFollow(
  sql: Db,
  userId: number,
  targetId: number,
  { isAccepted = false }: { isAccepted?: boolean } = {},
): Promise<Follow> {
  const [row] = await sql<[Follow]>`
    -- The lock waits for a transaction that disables or erases one of the accounts. Its job may have looked for follows.
    with pair as (
      select id from users where id in (${userId}, ${targetId}) and deleted_at is null order by id for share
    ),
    target as (select id from pair where id = ${targetId} and (select count(*) from pair) = 2),
    block as (
      select user_id from user_blocks
      where (user_id = ${targetId} and target_id = ${userId}) or (user_id = ${userId} and target_id = ${targetId})
    ),
    kept as (select from user_follows where user_id = ${userId} and target_id = ${targetId}),
    closed as (select from private_accounts where user_id = ${targetId} and not ${isAccepted}),
    asked as (
      insert into follow_requests (user_id, target_id)
      select ${userId}, id from target
      where not exists (select from block) and exists (select from closed) and not exists (select from kept)
      on conflict do nothing returning target_id
    ),
    -- A follow of an account that became public replaces the earlier request.
    answered as (
      delete from follow_requests
      where user_id = ${userId} and target_id = ${targetId} and not exists (select from closed) returning target_id
    ),
    link as (
      insert into user_follows (user_id, target_id)
      select ${userId}, id from target where not exists (select from block) and not exists (select from closed)
      on conflict do nothing returning user_id, target_id
    ),
    ${counted(sql, userId, targetId, 1)}
    select exists (select from target) as found, array(select user_id from block) as blockers,
      exists (select from link) as made, exists (select from answered) as answered,
      exists (select from asked) as new, exists (select from closed) and not exists (select from kept) as asked`
  return row
}

type Ended = { ended: boolean; withheld: boolean; unasked: boolean; private: boolean }

/**
 * Deletes a follow, also one that is withheld while an account is disabled, and a request. Call after `lockPair`.
 */
export async function deleteFollow(sql: Db, userId: number, targetId: number): Promise<Ended> {
  const [row] = await sql<[Ended]>`
    with unasked as (
      delete from follow_requests where user_id = ${userId} and target_id = ${targetId} returning target_id
    ),
    link as (
      delete from user_follows where user_id = ${userId} and target_id = ${targetId} returning user_id, target_id
    ),
    withheld as (
      delete from withheld_follows where user_id = ${userId} and target_id = ${targetId} returning target_id
    ),
    ${counted(sql, userId, targetId, -1)}
    select exists (select from link) as ended, exists (select from withheld) as withheld,
      exists (select from unasked) as unasked, ${isPrivate(sql, sql`${targetId}::bigint`)} as private`
  return row
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

export const listFollowerIds = async (
  sql: Db,
  userId: number,
  { limit = 15, ...page }: Page,
  viewerId: number,
) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.user_id as id from user_follows f join users u on u.id = f.user_id and u.deleted_at is null
      where f.target_id = ${userId} and ${isOpenTo(sql, viewerId, sql`f.target_id`)}
        ${noBlockBetween(sql, viewerId, sql`f.user_id`)}
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

export const listFollowingIds = async (
  sql: Db,
  userId: number,
  { limit = 15, ...page }: Page,
  viewerId: number,
) =>
  idsOf(
    await sql<{ id: number }[]>`
      select f.target_id as id from user_follows f join users u on u.id = f.target_id and u.deleted_at is null
      where f.user_id = ${userId} and ${isOpenTo(sql, viewerId, sql`f.user_id`)}
        ${pastFollowing(sql, userId, page.after)} ${noBlockBetween(sql, viewerId, sql`f.target_id`)}
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
        ${noBlockBetween(sql, userId, sql`f.target_id`)}
      order by f.id desc ${limitClause(sql, { limit, ...page })}`,
  )
}

/**
 * Blocks a user and ends the follows in both directions (relations-1). Returns false for an unknown or
 * disabled user. Call after `lockPair`.
 */
export async function insertBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    made as (
      insert into user_blocks (user_id, target_id) select ${userId}, id from target on conflict do nothing
    ),
    unasked as (
      delete from follow_requests
      where (user_id = ${userId} and target_id = ${targetId}) or (user_id = ${targetId} and target_id = ${userId})
    ),
    link as (
      delete from user_follows
      where (user_id = ${userId} and target_id = ${targetId}) or (user_id = ${targetId} and target_id = ${userId})
      returning user_id, target_id
    ),
    withheld as (
      delete from withheld_follows
      where (user_id = ${userId} and target_id = ${targetId}) or (user_id = ${targetId} and target_id = ${userId})
    ),
    ${counted(sql, userId, targetId, -1)}
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
 * Condition that hides people with a block in either direction from each other (relations-2). An array instead of
 * a join preserves the index scan of the list. Probes for blocks of the viewer per row, because a person may be
 * blocked by more people than fit into an array, and only if such a block exists.
 */
export const noBlockBetween = (sql: Db, viewerId: number, person: Fragment): Fragment =>
  when(
    sql,
    viewerId > 0,
    () => sql`and ${person} <> all(array(select target_id from user_blocks where user_id = ${viewerId}))
      and (not exists (select from user_blocks where target_id = ${viewerId}) or not ${hasBlocked(sql, person, viewerId)})`,
  )

export const isMuteActive = (sql: Db, table: 'm' | 'user_mutes'): Fragment =>
  sql`(${sql(table)}.ends_at is null or ${sql(table)}.ends_at > now())`

/**
 * Condition on the author of content in lists: hides people with a block, and people whom the viewer mutes
 * (relations-5). Lists of people, of one person and of own collections use `noBlockBetween` alone.
 */
export const shownTo = (sql: Db, viewerId: number, author: Fragment): Fragment =>
  when(
    sql,
    viewerId > 0,
    () => sql`${noBlockBetween(sql, viewerId, author)} and ${author} <> all(array(
      select target_id from user_mutes where user_id = ${viewerId} and ${isMuteActive(sql, 'user_mutes')}
    ))`,
  )

export const hasMuted = (sql: Db, userId: number | Fragment, target: number | Fragment): Fragment => sql`
  coalesce((
    select true from user_mutes
    where user_mutes.user_id = ${userId} and user_mutes.target_id = ${target} and ${isMuteActive(sql, 'user_mutes')}
  ), false)`

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
