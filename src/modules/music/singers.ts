import { grams, nameKey } from '#lib/text.ts'
import { attachPicture, detachFiles } from '#modules/files/index.ts'
import { type Db, ifGiven, onConstraint, type Tx } from '#platform/database'
import { singerHasSongs, singerNameTaken } from './schema.ts'

/** Locks the singers against deletion. Omits unknown and deleted ones. */
export const findLiveSingers = (sql: Db, ids: number[]) => sql<{ id: number }[]>`
  select id from music_singers where id = any(${ids}) and deleted_at is null order by id for share`

export type SingerValues = { name: string; cover: number | null; coverSize: string | null }

async function insertSinger(sql: Db, { name, cover, coverSize }: SingerValues): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into music_singers (name, name_key, name_grams, cover, cover_size)
    values (${name}, ${nameKey(name)}, ${grams(name)}, ${cover}, ${coverSize}) returning id`
  return row.id
}

async function updateSinger(
  sql: Db,
  id: number,
  { name, cover, coverSize }: Partial<SingerValues>,
): Promise<void> {
  await sql`
    update music_singers set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, cover, (value) => sql`, cover = ${value}, cover_size = ${coverSize ?? null}`)}
    where id = ${id}`
}

async function deleteSinger(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`
    update music_singers set deleted_at = now(), updated_at = now()
    where id = ${id} and deleted_at is null
      and not exists (select from music_songs where singer_id = ${id} and deleted_at is null)`
  return rows.count > 0
}

const takeCover = (tx: Tx, cover: number, ownerId: number, singerId: number) =>
  attachPicture(tx, cover, { ownerId, channel: 'music:singer:cover', raw: singerId, field: 'cover' })

export type SingerInput = { name?: string; cover?: number | null }

export async function addSinger(
  tx: Tx,
  ownerId: number,
  { name, cover = null }: SingerInput & { name: string },
): Promise<number> {
  const id = await onConstraint(insertSinger(tx, { name, cover: null, coverSize: null }), {
    music_singers_name_taken: singerNameTaken,
  })
  if (cover !== null)
    await updateSinger(tx, id, { cover, coverSize: await takeCover(tx, cover, ownerId, id) })
  return id
}

export async function changeSinger(
  tx: Tx,
  ownerId: number,
  singer: { id: number; cover: number | null },
  { name, cover }: SingerInput,
): Promise<void> {
  const changed = cover !== undefined && cover !== singer.cover
  const coverSize = changed && cover !== null ? await takeCover(tx, cover, ownerId, singer.id) : null
  await onConstraint(
    updateSinger(tx, singer.id, {
      ...(name === undefined ? {} : { name }),
      ...(changed ? { cover, coverSize } : {}),
    }),
    { music_singers_name_taken: singerNameTaken },
  )
  if (changed && singer.cover !== null) await detachFiles(tx, { ids: [singer.cover] })
}

export async function removeSinger(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSinger(tx, id))) throw singerHasSongs()
}
