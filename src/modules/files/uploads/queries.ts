import type { Db, Row, Tables } from '#platform/database'

export type NewFile = {
  ownerId: number
  sha256: Buffer
  md5: Buffer
  key: string
  mime: string
  size: number
  width: number | null
  height: number | null
}

export type FileRow = Row<'file_uses', 'id' | 'owner_id' | 'channel' | 'raw'> &
  Row<'files', 'mime' | 'width' | 'height'> & {
    key: Tables['files']['storage_key']
    bytes: Tables['files']['size']
  }

export async function reuseFile(
  sql: Db,
  ownerId: number,
  by: { sha256: Buffer } | { md5: Buffer },
): Promise<number | undefined> {
  const content = 'sha256' in by ? sql`sha256 = ${by.sha256}` : sql`md5 = ${by.md5}`
  const [row] = await sql<{ id: number }[]>`
    insert into file_uses (file_id, owner_id)
    select id, owner_id from (
      -- Locks the file, so that cleanup does not delete it as unused.
      select id, owner_id from files where owner_id = ${ownerId} and ${content}
      order by id limit 1 for key share
    ) as file
    returning id`
  return row?.id
}

/**
 * Inserts a file and a use of it. Returns the existing `key` when a concurrent upload stored an identical
 * file.
 */
export async function addFile(sql: Db, file: NewFile): Promise<{ id: number; key: string }> {
  const [row] = await sql<[{ id: number; key: string }]>`
    with kept as (
      insert into files (owner_id, sha256, md5, storage_key, mime, size, width, height)
      values (${file.ownerId}, ${file.sha256}, ${file.md5}, ${file.key}, ${file.mime}, ${file.size},
        ${file.width}, ${file.height})
      on conflict on constraint files_owner_content do update set uploaded_at = excluded.uploaded_at
      returning id, storage_key
    )
    insert into file_uses (file_id, owner_id) select id, ${file.ownerId} from kept
    returning id, (select storage_key from kept) as key`
  return row
}

export const listFiles = (sql: Db, ids: number[]) => sql<FileRow[]>`
  select u.id, u.owner_id, u.channel, u.raw, f.storage_key as key, f.mime, f.size as bytes, f.width, f.height
  from file_uses u join files f on f.id = u.file_id
  where u.id = any(${ids}::bigint[])`

/** Maps the user's uploads to their stored bytes. Uploads of the same bytes have the same value (files-4). */
export async function findStoredFiles(
  sql: Db,
  ownerId: number,
  ids: number[],
): Promise<Map<number, Tables['file_uses']['file_id']>> {
  const rows = await sql<Row<'file_uses', 'id' | 'file_id'>[]>`
    select id, file_id from file_uses where id = any(${ids}::bigint[]) and owner_id = ${ownerId}`
  return new Map(rows.map(({ id, file_id }) => [id, file_id]))
}

/** Sizes of the pictures that are attached to the content beside them. */
export const listSizes = (sql: Db, uploads: { file: number; content: number }[]) => sql<
  { id: number; width: number; height: number }[]
>`
  select u.id, f.width, f.height
  from unnest(${uploads.map(({ file }) => file)}::bigint[], ${uploads.map(({ content }) => content)}::bigint[])
    as t (id, content)
  join file_uses u on u.id = t.id and u.raw = t.content join files f on f.id = u.file_id
  where f.width is not null and f.height is not null`

export const attachUses = (sql: Db, ids: number[], ownerId: number, channel: string, raw: number | null) =>
  sql<FileRow[]>`
    with bound as (
      update file_uses set channel = ${channel}, raw = ${raw}, attached_at = now()
      where id = any(${ids}::bigint[]) and owner_id = ${ownerId}
        and (channel is null or (channel = ${channel} and raw = ${raw}))
      returning id, owner_id, channel, raw, file_id
    )
    select b.id, b.owner_id, b.channel, b.raw, f.storage_key as key, f.mime, f.size as bytes, f.width, f.height
    from bound b join files f on f.id = b.file_id`

export async function removeUses(
  sql: Db,
  which: { ids: number[] } | { channel: string; raws: number[] },
): Promise<number[]> {
  const chosen =
    'ids' in which
      ? sql`id = any(${which.ids}::bigint[])`
      : sql`channel = ${which.channel} and raw = any(${which.raws}::bigint[])`
  const rows = await sql<{ file_id: number }[]>`delete from file_uses where ${chosen} returning file_id`
  return [...new Set(rows.map(({ file_id }) => file_id))]
}

export async function removeStaleUses(sql: Db, limit: number): Promise<{ count: number; fileIds: number[] }> {
  const rows = await sql<{ file_id: number }[]>`
    delete from file_uses where id in (
      select id from file_uses where channel is null and created_at < now() - interval '1 day'
      order by created_at limit ${limit} for update skip locked
    )
    returning file_id`
  return { count: rows.length, fileIds: [...new Set(rows.map(({ file_id }) => file_id))] }
}

export async function removeUnusedFiles(sql: Db, ids: number[]): Promise<string[]> {
  const rows = await sql<{ storage_key: string }[]>`
    delete from files f where id = any(${ids}::bigint[])
      and not exists (select from file_uses u where u.file_id = f.id)
    returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}
