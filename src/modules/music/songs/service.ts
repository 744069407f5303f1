import { groupBy } from '#lib/lists.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { closeSales, dropPrices, findPrices, movePrice, setPrices } from '#modules/purchases/index.ts'
import type { Content } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { addJob } from '#platform/jobs.ts'
import { noSuchSong, unknownSinger, unknownSpecial } from '../errors.ts'
import type { Song } from '../schema.ts'
import { findLiveSingers } from '../singers/queries.ts'
import { findLiveSpecials, listSpecialsOf } from '../specials/queries.ts'
import { playsOf } from './counters.ts'
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

/** Songs as content that is commented on and liked. Nobody publishes them. */
export const songContent: Content = {
  type: 'musics',
  param: 'music',
  noun: 'Song',
  tag: 'Music',
  async find(sql, id) {
    const title = await findSongTitle(sql, id)
    return title === undefined ? undefined : { id, ownerId: 0, contents: title }
  },
  live: liveSong,
}

/** Songs in their detail form, in the order of the rows. */
export async function songViews(ctx: Context, rows: SongWithSinger[], viewerId: number): Promise<Song[]> {
  const plays = playsOf(ctx)
  const storages = rows.flatMap(({ storage }) => storage ?? [])
  const [prices, albums] = await Promise.all([
    findPrices(ctx.sql, 'file', storages, viewerId),
    listSpecialsOf(
      ctx.sql,
      rows.map(({ id }) => id),
    ),
  ])
  const albumsOf = groupBy(albums, (album) => album.song_id)
  return rows.map((row) =>
    songDetail(
      row,
      plays.pending(row.id),
      prices.get(row.storage ?? 0),
      (albumsOf.get(row.id) ?? []).map(({ id, title }) => ({ id, title })),
    ),
  )
}

export type SongInput = Partial<Omit<SongValues, 'storage'>> & {
  storage?: number | null
  /** The albums it is on; absent: as they are. */
  specials?: number[]
  /** What its sound costs, and what is sold; null: nothing. */
  price?: { amount: number; type: 'listen' | 'download' } | null
}

async function requireParts(tx: Db, { singerId, specials = [] }: SongInput): Promise<void> {
  if (singerId !== undefined && (await findLiveSingers(tx, [singerId])).length === 0) throw unknownSinger()
  const wanted = new Set(specials)
  if (wanted.size > 0 && (await findLiveSpecials(tx, [...wanted])).length < wanted.size)
    throw unknownSpecial()
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

/** Puts a price on the sound of a song; the site is paid. */
async function sellSong(tx: Db, storage: number | null, price: SongInput['price']): Promise<void> {
  if (storage === null) {
    if (price)
      throw invalidField('amount', {
        en: 'A song without a sound has no price.',
        zh: '没有音频的歌曲不能设置价格。',
      })
    return
  }
  if (price)
    await setPrices(tx, [
      { channel: 'file', raw: storage, amount: price.amount, userId: 0, extra: price.type },
    ])
  else await dropPrices(tx, 'file', [storage])
}

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
  if (storage !== null && lastTime === 0) await addJob(tx, 'measure_song', { song: id, sound: storage })
  if (specials.length > 0) await replaceSpecials(tx, id, [...new Set(specials)])
  if (input.price) await sellSong(tx, storage, input.price)
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
  const { specials, price, ...values } = input
  if (values.storage === song.storage) delete values.storage
  // Another sound lasts as long as it does.
  if (values.storage !== undefined && values.lastTime === undefined) values.lastTime = 0
  if (values.storage) await takeSound(tx, values.storage, ownerId, song.id)
  await updateSong(tx, song.id, values)
  if (values.storage && values.lastTime === 0)
    await addJob(tx, 'measure_song', { song: song.id, sound: values.storage })
  if (values.storage !== undefined && song.storage !== null) {
    // Who bought the song keeps it with another sound.
    if (values.storage !== null) await movePrice(tx, 'file', song.storage, values.storage)
    await detachFiles(tx, { ids: [song.storage] })
  }
  if (price !== undefined) await sellSong(tx, values.storage ?? song.storage, price)
  if (specials) await replaceSpecials(tx, song.id, [...new Set(specials)])
}

/** Deletes a song with its comments and likes, in the caller's transaction. */
export async function removeSong(
  tx: Tx,
  { id, storage }: { id: number; storage: number | null },
): Promise<void> {
  if (!(await deleteSong(tx, id))) throw noSuchSong()
  if (storage !== null) await closeSales(tx, 'file', [storage], true)
  await deleteLikesOf(tx, songContent.type, [id])
  await deleteCommentsOf(tx, songContent.type, [id])
}
