import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { onConstraint, type Tx } from '#platform/database.ts'
import { singerHasSongs, singerNameTaken } from '../errors.ts'
import { deleteSinger, insertSinger, updateSinger } from './queries.ts'

const takeCover = async (tx: Tx, cover: number, ownerId: number, singerId: number) =>
  (
    await attachFiles(tx, {
      ids: [cover],
      ownerId,
      channel: 'music:singer:cover',
      raw: singerId,
      field: 'cover',
      kind: 'image',
    })
  ).get(cover)?.size ?? null

export type SingerInput = { name?: string; cover?: number | null }

/** Makes a singer in the caller's transaction; `ownerId` has uploaded the cover. */
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

/** Changes what is given, in the caller's transaction; null clears the cover. */
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

/** Deletes a singer who has no songs any more. */
export async function removeSinger(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSinger(tx, id))) throw singerHasSongs()
}
