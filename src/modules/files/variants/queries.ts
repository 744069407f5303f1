import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** What a variant that is kept is; that it was asked for is written once a day. */
export async function findVariant(
  sql: Db,
  key: string,
): Promise<Row<'file_variants', 'mime' | 'size'> | undefined> {
  const [row] = await sql<Row<'file_variants', 'mime' | 'size'>[]>`
    with found as (select storage_key, mime, size, used_at from file_variants where storage_key = ${key}),
    touched as (
      update file_variants v set used_at = now() from found f
      where v.storage_key = f.storage_key and f.used_at < now() - interval '1 day'
    )
    select mime, size from found`
  return row
}

/** Notes a variant before its bytes are stored, so that no bytes lie anywhere without a row. */
export async function noteVariant(
  sql: Db,
  variant: { key: string; sourceKey: string; mime: string; size: number },
): Promise<void> {
  await sql`
    insert into file_variants (storage_key, source_key, mime, size)
    values (${variant.key}, ${variant.sourceKey}, ${variant.mime}, ${variant.size})
    on conflict (storage_key) do update set mime = excluded.mime, size = excluded.size, used_at = excluded.used_at`
}

/** Takes the rows of what was made from these files and answers where its bytes are. */
export async function takeVariantsOf(sql: Db, sourceKeys: string[]): Promise<string[]> {
  const rows = await sql<{ storage_key: string }[]>`
    delete from file_variants where source_key = any(${sourceKeys}::text[]) returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

export const dropVariant = (sql: Db, key: string) => sql`delete from file_variants where storage_key = ${key}`

/** The bytes of all variants together. */
export const sumVariants = async (sql: Db): Promise<number> =>
  (await sql<[{ bytes: number }]>`select coalesce(sum(size), 0)::bigint as bytes from file_variants`)[0].bytes

/** Takes the rows of up to `limit` variants that nobody asked for longest, of at most about `bytes`. */
export const takeOldestVariants = (sql: Db, limit: number, bytes: number) => sql<
  { storage_key: string; size: number }[]
>`
  delete from file_variants where storage_key in (
    select storage_key from (
      select storage_key, sum(size) over (order by used_at, storage_key) - size as before from (
        select storage_key, size, used_at from file_variants
        order by used_at limit ${limit} for update skip locked
      ) oldest
    ) counted where before < ${bytes}
  ) returning storage_key, size`
