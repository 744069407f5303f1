import { findAttachments } from '#lib/attachments.ts'
import type { Db } from '#platform/database'
import type { ImportStep, Range } from '../../database/table.ts'
import { custom } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'

export type ListedUse = { id: number; raw: number; owner_id: number; mime: string; size: string | null }

export const listUses = (sql: Db, channel: string, raws: number[]) => sql<ListedUse[]>`
  select u.id, u.raw, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.channel = ${channel} and u.raw = any(${raws})
  order by u.raw, u.id`

export const findUses = (sql: Db, ids: number[]) => sql<Omit<ListedUse, 'raw'>[]>`
  select u.id, u.owner_id, f.mime, f.width || 'x' || f.height as size
  from file_uses u join files f on f.id = u.file_id where u.id = any(${ids})`

/** Channel of uploads that only a text embeds. Cleanup deletes unattached uploads. */
const IMPORTED = 'imported'
/** Kinds of channels that claims decide. Uploads of other channels keep the channel of the source. */
const CLAIMED = ['news', 'certification']

export const SOURCE_PLACE = 'file_withs'

type Claim = { placeId: number; id: number; channel: string; raw: number | null }

/**
 * Remembers which content uses an upload, including uploads that do not exist yet. `placeId` is the id that splits the
 * table of the source into ranges.
 */
export async function claimUses(sql: Db, place: string, claims: Claim[]): Promise<void> {
  const rows = [
    ...new Map(claims.map((each) => [`${each.placeId} ${each.id} ${each.channel}`, each])).values(),
  ]
  await upsert(
    sql,
    'import_claims',
    { place: 'text', place_id: 'bigint', use_id: 'bigint', channel: 'text', raw: 'bigint' },
    rows.map(({ placeId, id, channel, raw }) => ({ place, place_id: placeId, use_id: id, channel, raw })),
    { key: ['place', 'place_id', 'use_id', 'channel'] },
  )
}

/** Remembers the uploads that texts embed. */
export const claimNamed = (sql: Db, place: string, texts: { placeId: number; text: string | null }[]) =>
  claimUses(
    sql,
    place,
    texts.flatMap(({ placeId, text }) =>
      findAttachments(text ?? '').map((id) => ({ placeId, id, channel: IMPORTED, raw: null })),
    ),
  )

/** Remembers the channel that the source gives an upload, if content may claim another of the same kind. */
export const claimForSource = (
  sql: Db,
  uses: { id: number | null; channel: string | null; raw: number | null }[],
) =>
  claimUses(
    sql,
    SOURCE_PLACE,
    uses.flatMap(({ id, channel, raw }) =>
      channel !== null && CLAIMED.includes(channel.split(':')[0] ?? '')
        ? [{ placeId: id ?? 0, id: id ?? 0, channel, raw }]
        : [],
    ),
  )

/** Drops the claims of a range before its content is read again and claims its uploads. */
export const unclaimed = (place: string) =>
  custom('release', {
    before: (tx, { from, to }: Range) => tx`
      delete from import_claims where place = ${place} and place_id >= ${from} and place_id < ${to}`,
  })

/**
 * Attaches each upload to the content that claims it, in each run from all claims, so that the result does not depend
 * on the order of runs. The kind of channel that the source gave wins, then news, then certifications, then texts. Of
 * several contents of one kind, the last wins.
 */
export const attachUses: ImportStep = {
  name: 'attachments',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      const isOld = tx`u.created_at < now() - interval '1 day'`
      await tx`
        update file_uses u set channel = c.channel, raw = c.raw, attached_at = u.created_at
        from (
          select distinct on (c.use_id) c.use_id, c.channel, c.raw
          from import_claims c
          left join import_claims s on s.place = ${SOURCE_PLACE} and s.place_id = c.use_id and s.use_id = c.use_id
          order by c.use_id,
            split_part(c.channel, ':', 1) is not distinct from split_part(s.channel, ':', 1) desc,
            array_position(${CLAIMED}::text[], split_part(c.channel, ':', 1)), c.raw desc nulls last,
            c.place = ${SOURCE_PLACE}, c.channel
        ) c
        where u.id = c.use_id
          and (u.channel is null or u.channel = ${IMPORTED} or split_part(u.channel, ':', 1) = any(${CLAIMED}))
          and (u.channel, u.raw) is distinct from (c.channel, c.raw)`
      await tx`
        update file_uses u set raw = null, channel = case when ${isOld} then ${IMPORTED} end,
          attached_at = case when ${isOld} then u.created_at end
        where (
            split_part(u.channel, ':', 1) = any(${CLAIMED}) or u.channel is null and ${isOld}
            or u.channel = ${IMPORTED} and not ${isOld}
          )
          and not exists (select from import_claims c where c.use_id = u.id)`
    }),
}

/** Returns one upload of each imported file by its path on the disk of the old site, without files that are not copied. */
export async function findUploadsByPath(sql: Db, paths: string[]): Promise<Map<string, number>> {
  const rows = await sql<{ path: string; id: number }[]>`
    select i.path, min(u.id) as id from import_files i join import_uploads c on c.content_id = i.id
    join files f on f.id = c.file_id and f.size > 0 join file_uses u on u.file_id = c.file_id
    where i.path = any(${paths}) group by i.path`
  return new Map(rows.map(({ path, id }) => [path, id]))
}
