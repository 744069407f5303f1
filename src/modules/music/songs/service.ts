import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import type { Thing } from '#platform/things.ts'
import { requireVisible } from '#platform/visible-text.ts'
import { noSuchSong } from '../errors.ts'
import type { Song } from '../schema.ts'
import { findLiveSingers } from '../singers/queries.ts'
import { findLiveSpecials } from '../specials/queries.ts'
import { playsOf } from './plays.ts'
import {
  deleteSong,
  findSongTitle,
  insertSong,
  liveSong,
  replaceSpecials,
  type SongValues,
  type SongWithSinger,
  updateSong,
} from './queries.ts'
import { songDetail } from './view.ts'

/** Songs as things that are commented on and liked. Nobody publishes them. */
export const songThing: Thing = {
  type: 'musics',
  param: 'music',
  tag: 'Music',
  async find(sql, id) {
    const title = await findSongTitle(sql, id)
    return title === undefined ? undefined : { id, ownerId: 0, contents: title }
  },
  live: liveSong,
}

/** Songs in their detail form, in the order of the rows. */
export const songViews = async (ctx: Context, rows: SongWithSinger[], _viewerId: number): Promise<Song[]> => {
  const plays = playsOf(ctx)
  return rows.map((row) => songDetail(row, plays.pending(row.id), undefined))
}

export type SongInput = Partial<Omit<SongValues, 'storage'>> & {
  storage?: number | null
  /** The albums it is on; absent: as they are. */
  specials?: number[]
}

async function requireParts(tx: Db, { title, singerId, specials = [] }: SongInput): Promise<void> {
  requireVisible('title', title)
  if (singerId !== undefined && (await findLiveSingers(tx, [singerId])).length === 0)
    throw invalidField('singer_id', { en: 'There is no such singer.', zh: '歌手不存在。' }, 'no_such_singer')
  const wanted = new Set(specials)
  if (wanted.size > 0 && (await findLiveSpecials(tx, [...wanted])).length < wanted.size)
    throw invalidField('specials', { en: 'There is no such album.', zh: '专辑不存在。' }, 'no_such_special')
}

const takeSound = (tx: Db, storage: number, ownerId: number, songId: number) =>
  attachFiles(tx, {
    ids: [storage],
    ownerId,
    channel: 'music:storage',
    raw: songId,
    field: 'storage',
    kind: 'audio',
  })

/** Makes a song in the caller's transaction; `ownerId` has uploaded its sound. */
export async function addSong(
  tx: Tx,
  ownerId: number,
  input: SongInput & { title: string; singerId: number },
): Promise<number> {
  await requireParts(tx, input)
  const { storage = null, lastTime = 0, lyric = null, sort = 0, specials = [] } = input
  const id = await insertSong(tx, {
    title: input.title,
    singerId: input.singerId,
    storage,
    lastTime,
    lyric,
    sort,
  })
  if (storage !== null) await takeSound(tx, storage, ownerId, id)
  if (specials.length > 0) await replaceSpecials(tx, id, [...new Set(specials)])
  return id
}

/** Changes what is given, in the caller's transaction. */
export async function changeSong(
  tx: Tx,
  ownerId: number,
  song: { id: number; storage: number | null },
  input: SongInput,
): Promise<void> {
  await requireParts(tx, input)
  const { specials, ...values } = input
  if (values.storage === song.storage) delete values.storage
  if (values.storage) await takeSound(tx, values.storage, ownerId, song.id)
  await updateSong(tx, song.id, values)
  if (values.storage !== undefined && song.storage !== null) await detachFiles(tx, { ids: [song.storage] })
  if (specials) await replaceSpecials(tx, song.id, [...new Set(specials)])
}

/** Deletes a song with its comments and likes, in the caller's transaction. */
export async function removeSong(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSong(tx, id))) throw noSuchSong()
  await deleteCommentsOf(tx, songThing.type, [id])
  await deleteLikesOf(tx, songThing.type, [id])
}
