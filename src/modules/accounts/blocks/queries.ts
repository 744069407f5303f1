import { andAfterRow, type Db, type Fragment, limitClause, when } from '#platform/database'

/** Blocks a user. Idempotent, and false for an unknown id. Follows stay (sign-in-16). */
export async function insertBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    link as (
      insert into user_blocks (user_id, target_id) select ${userId}, id from target on conflict do nothing
    )
    select exists (select from target) as found`
  return row.found
}

/** Removes a block. False if there is neither a block nor such a user. */
export async function deleteBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with link as (
      delete from user_blocks where user_id = ${userId} and target_id = ${targetId} returning target_id
    )
    select exists (select from link)
      or exists (select from users where id = ${targetId} and deleted_at is null) as found`
  return row.found
}

/** Ids of blocked users, newest first, without disabled accounts. */
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
 * Appends a condition that hides content of authors blocked by the viewer (conventions-26). `author` is the
 * column of the author. An array instead of a join keeps the index scan of the list, however many users the
 * viewer blocks. Matches nothing for a guest.
 */
export const notBlockedBy = (sql: Db, viewerId: number, author: Fragment): Fragment =>
  when(
    sql,
    viewerId > 0,
    () => sql`and ${author} <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`,
  )

/** SQL value: whether the user in the column `blocker` blocks `userId`. */
export const hasBlocked = (sql: Db, blocker: Fragment, userId: number): Fragment => sql`
  coalesce((select true from user_blocks b where b.user_id = ${blocker} and b.target_id = ${userId}), false)`
