import type { Db } from '#platform/database.ts'

/** Where the bytes of uploads are, and a name for them that says what is in them. */
export const listSources = (sql: Db, ids: number[]) => sql<{ id: number; key: string; name: string }[]>`
  select u.id, f.storage_key as key,
    encode(f.sha256, 'hex') || coalesce(substring(f.storage_key from '\.[a-z0-9]+$'), '') as name
  from file_uses u join files f on f.id = u.file_id where u.id = any(${ids})`

/** Binds imported uploads to what shows them. */
export async function bindFiles(
  sql: Db,
  uses: { id: number; channel: string; raw: number }[],
): Promise<void> {
  if (uses.length === 0) return
  await sql`
    update file_uses u set channel = g.channel, raw = g.raw, attached_at = now()
    from unnest(${uses.map(({ id }) => id)}::bigint[], ${uses.map(({ channel }) => channel)}::text[],
      ${uses.map(({ raw }) => raw)}::bigint[]) as g (id, channel, raw)
    where u.id = g.id and u.channel is null`
}

/** The uploads that content of a channel shows. */
export const listAttached = (sql: Db, channel: string, raws: number[]) => sql<{ id: number; raw: number }[]>`
  select id, raw from file_uses where channel = ${channel} and raw = any(${raws}) order by id`
