import type { Db } from '#platform/database.ts'

export type ListedUse = { id: number; raw: number; owner_id: number; mime: string; size: string | null }

/** The uploads that things of a channel show, in the order they were made. */
export const listUses = (sql: Db, channel: string, raws: number[]) => sql<ListedUse[]>`
  select u.id, u.raw, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.channel = ${channel} and u.raw = any(${raws})
  order by u.raw, u.id`

/** Those of these uploads that there are. */
export const findUses = (sql: Db, ids: number[]) => sql<Omit<ListedUse, 'raw'>[]>`
  select u.id, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.id = any(${ids})`

/** Binds uploads to what turned out to show them. */
export async function bindUses(sql: Db, uses: { id: number; channel: string; raw: number }[]): Promise<void> {
  if (uses.length === 0) return
  await sql`
    update file_uses u set channel = g.channel, raw = g.raw, attached_at = coalesce(u.attached_at, now())
    from unnest(${uses.map(({ id }) => id)}::bigint[], ${uses.map(({ channel }) => channel)}::text[],
      ${uses.map(({ raw }) => raw)}::bigint[]) as g (id, channel, raw)
    where u.id = g.id and (u.channel, u.raw) is distinct from (g.channel, g.raw)`
}
