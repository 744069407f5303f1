import type { Db, Fragment } from '#platform/database.ts'
import { andPastRow, partOf, when } from '#platform/sql.ts'

/** Blocks somebody, once or again; false when there is nobody of that id. It does not unfollow (sign-in-16). */
export async function insertBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from users where id = ${targetId} and deleted_at is null),
    link as (
      insert into user_blocks (user_id, target_id) select ${userId}, id from target on conflict do nothing
    )
    select exists (select from target) as found`
  return row.found
}

/** Ends a block if there is one; false when there is none and nobody of that id. */
export async function deleteBlock(sql: Db, userId: number, targetId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with link as (
      delete from user_blocks where user_id = ${userId} and target_id = ${targetId} returning target_id
    )
    select exists (select from link)
      or exists (select from users where id = ${targetId} and deleted_at is null) as found`
  return row.found
}

/** Whom a person blocks, the newest first, without disabled accounts. */
export async function listBlockedIds(
  sql: Db,
  userId: number,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select b.target_id as id from user_blocks b join users u on u.id = b.target_id and u.deleted_at is null
    where b.user_id = ${userId}
      ${andPastRow(
        sql,
        page.after,
        sql`b.id`,
        sql`select id
          from user_blocks where user_id = ${userId} and target_id = ${page.after ?? 0}`,
      )}
    order by b.id desc ${partOf(sql, { limit, ...page })}`
  return rows.map(({ id }) => id)
}

/**
 * Leaves out what was written by people whom the viewer blocks (conventions-26): a condition that follows others.
 * `author` is the column of who wrote it. An array instead of a join: the list stays a walk along its index, however many
 * people the viewer blocks. Guests block nobody.
 */
export const notBlockedBy = (sql: Db, viewerId: number, author: Fragment): Fragment =>
  when(
    sql,
    viewerId > 0,
    () => sql`and ${author} <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`,
  )

/** Whether the person of the column `blocker` blocks somebody: a value. */
export const hasBlocked = (sql: Db, blocker: Fragment, userId: number): Fragment => sql`
  coalesce((select true from user_blocks b where b.user_id = ${blocker} and b.target_id = ${userId}), false)`

/** Whether somebody blocks anybody: a condition. */
export const blocksSomebody = (sql: Db, viewer: Fragment): Fragment =>
  sql`coalesce((select true from user_blocks b where b.user_id = ${viewer} limit 1), false)`
