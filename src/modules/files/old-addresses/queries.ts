import type { Db } from '#platform/database.ts'

/** The oldest upload of the content that lay at a path before the move. */
export async function findUploadAt(sql: Db, path: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select u.id from import_files i join import_uploads c on c.content_id = i.id join file_uses u on u.file_id = c.file_id
    where i.path = ${path} order by u.id limit 1`
  return row?.id
}

/** The node of a picture that lay at a path before the move. */
export async function findNodeAt(sql: Db, path: string): Promise<string | undefined> {
  const [row] = await sql<{ node: string }[]>`
    select p.node from import_pictures p join storage_nodes n on n.node = p.node
    where p.path = ${path} limit 1`
  return row?.node
}
