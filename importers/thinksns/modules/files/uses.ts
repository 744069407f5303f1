import { findAttachments } from '#lib/attachments.ts'
import type { Db } from '#platform/database'

export type ListedUse = { id: number; raw: number; owner_id: number; mime: string; size: string | null }

export const listUses = (sql: Db, channel: string, raws: number[]) => sql<ListedUse[]>`
  select u.id, u.raw, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.channel = ${channel} and u.raw = any(${raws})
  order by u.raw, u.id`

export const findUses = (sql: Db, ids: number[]) => sql<Omit<ListedUse, 'raw'>[]>`
  select u.id, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.id = any(${ids})`

/** Protects uploads embedded in texts, because cleanup deletes unattached uploads. */
export const keepNamed = (sql: Db, texts: (string | null)[]) => sql`
  update file_uses set channel = 'imported', attached_at = created_at
  where id = any(${texts.flatMap((text) => findAttachments(text ?? ''))}) and channel is null`

export async function attachFromSource(
  sql: Db,
  uses: { id: number; channel: string; raw: number }[],
): Promise<void> {
  if (uses.length === 0) return
  // Of several articles with the same file, the last keeps it in every run.
  const last = new Map<number, (typeof uses)[number]>()
  for (const use of uses) if (use.raw >= (last.get(use.id)?.raw ?? 0)) last.set(use.id, use)
  const given = [...last.values()]
  await sql`
    update file_uses u set channel = g.channel, raw = g.raw, attached_at = coalesce(u.attached_at, now())
    from unnest(${given.map(({ id }) => id)}::bigint[], ${given.map(({ channel }) => channel)}::text[],
      ${given.map(({ raw }) => raw)}::bigint[]) as g (id, channel, raw)
    where u.id = g.id and (u.channel is null or u.channel = 'imported'
        or split_part(u.channel, ':', 1) = split_part(g.channel, ':', 1) and g.raw >= coalesce(u.raw, 0))
      and (u.channel, u.raw) is distinct from (g.channel, g.raw)`
}

/** Releases the files of a range of content before it is read again and attaches its files. */
export const releaseUses = (sql: Db, channels: string[], { from, to }: { from: number; to: number }) => sql`
  update file_uses set channel = 'imported', raw = null
  where channel = any(${channels}) and raw >= ${from} and raw < ${to}`
