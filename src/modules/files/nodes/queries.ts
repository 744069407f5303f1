import type { Db, Row } from '#platform/database'
import type { StoredNode } from '../schema.ts'

export type Task = { node: string; ownerId: number; md5: Buffer; size: number; mime: string }

export type TaskRow = Row<'storage_nodes', 'md5' | 'declared_size' | 'mime'> & {
  uploaded: boolean
}

/** Inserts a task. The node exists from now on, before its picture. */
export async function addTask(sql: Db, { node, ownerId, md5, size, mime }: Task): Promise<void> {
  await sql`
    insert into storage_nodes (node, owner_id, md5, declared_size, mime)
    values (${node}, ${ownerId}, ${md5}, ${size}, ${mime})`
}

export async function findTask(sql: Db, node: string): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select md5, declared_size, mime, uploaded_at is not null as uploaded from storage_nodes where node = ${node}`
  return row
}

/** Marks the picture as stored. False if another upload finished first or the task is deleted. */
export async function finishTask(
  sql: Db,
  node: string,
  { size, width, height }: { size: number; width: number | null; height: number | null },
): Promise<boolean> {
  const rows = await sql`
    update storage_nodes set uploaded_at = now(), size = ${size}, width = ${width}, height = ${height}
    where node = ${node} and uploaded_at is null
    returning node`
  return rows.length === 1
}

/** Stored pictures by node. Skips unknown and unfinished ones. */
export const listNodes = (sql: Db, nodes: string[]) => sql<StoredNode[]>`
  select node, mime, size, width, height from storage_nodes
  where node = any(${nodes}::text[]) and uploaded_at is not null`

/** Marks a user's stored picture as used and returns it. */
export async function takeNode(sql: Db, node: string, ownerId: number): Promise<StoredNode | undefined> {
  const [row] = await sql<StoredNode[]>`
    update storage_nodes set used_at = now()
    where node = ${node} and owner_id = ${ownerId} and uploaded_at is not null
    returning node, mime, size, width, height`
  return row
}

/** Deletes up to `limit` nodes that stayed unused for a day and returns them. */
export async function removeStaleNodes(sql: Db, limit: number): Promise<string[]> {
  const rows = await sql<{ node: string }[]>`
    delete from storage_nodes where node in (
      select node from storage_nodes where used_at is null and created_at < now() - interval '1 day'
      order by created_at limit ${limit} for update skip locked
    )
    returning node`
  return rows.map(({ node }) => node)
}

/** Marks a user's pictures as unused, so that cleanup deletes them. */
export const releaseNodes = (sql: Db, nodes: string[], ownerId: number) => sql`
  update storage_nodes set used_at = null where node = any(${nodes}::text[]) and owner_id = ${ownerId}`
