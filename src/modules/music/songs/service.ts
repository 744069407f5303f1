import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Content } from '#contracts/content.ts'
import { groupBy } from '#lib/lists.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles, readDuration, readUpload } from '#modules/files/index.ts'
import { deleteLikesOf } from '#modules/likes/index.ts'
import { withdrawContent } from '#modules/notifications/index.ts'
import { closeSales, findPrices, movePrice, removePrices, setPrices } from '#modules/purchases/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import { currentScope, type Db, type Tx } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { defineBufferedCounts } from '#platform/memory'
import { noSuchSong, type Song, type SongItem, unknownSinger, unknownSpecial } from '../schema.ts'
import { findLiveSingers } from '../singers.ts'
import { findLiveSpecials, listSpecialsOf } from '../specials/service.ts'
import {
  addPlays,
  deleteSong,
  findSongTitle,
  insertSong,
  liveSong,
  replaceSpecials,
  type SongRow,
  type SongValues,
  type SongWithSinger,
  setLastTime,
  updateSong,
} from './queries.ts'

const MINUTE_MS = 60_000

export const playsOf = defineBufferedCounts('plays', addPlays)

/** Pairs of listener and song whose play was counted in the last minute (music-3). */
const recentPlays = defineState(() => new LRUCache<string, true>({ max: 200_000, ttl: MINUTE_MS }))

/**
 * Counts at most one play a minute per listener and song (music-3). Without Redis, this limit applies per
 * server node.
 */
export function countPlay(ctx: Context, songId: number): void {
  const caller = currentScope()
  const listener = caller?.userId ?? caller?.address ?? ''
  const key = `play:${songId}:${listener}`
  const cache = recentPlays(ctx)
  if (cache.has(key)) return
  cache.set(key, true)
  const count = ({ exceeded }: { exceeded: boolean }) => {
    if (!exceeded) playsOf(ctx).add([songId])
  }
  const hit = ctx.limiter.hit(key, 1)
  // Does not await Redis, because a wait would delay the response.
  if (hit instanceof Promise) hit.then(count, () => count({ exceeded: false }))
  else count(hit)
}

export type SongPrice = { id: number; amount: number; extra: string | null; paid: boolean }

const shared = (row: SongRow, pendingPlays: number) => ({
  id: row.id,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  deleted_at: wireTimeOrNull(row.deleted_at),
  title: row.title,
  last_time: row.last_time,
  lyric: row.lyric,
  taste_count: row.taste_count + pendingPlays,
  share_count: row.share_count,
  comment_count: row.comment_count,
  has_like: row.has_like,
})

export const songItem = (row: SongRow, pendingPlays: number): SongItem => ({
  ...shared(row, pendingPlays),
  singer: row.singer_id,
  storage: row.storage === null ? null : { id: row.storage },
  sort: row.sort,
})

const songDetail = (
  row: SongWithSinger,
  pendingPlays: number,
  price: SongPrice | undefined,
  albums: Song['music_specials'],
): Song => ({
  ...shared(row, pendingPlays),
  sort: row.sort,
  music_specials: albums,
  singer: {
    id: row.singer_id,
    created_at: wireTime(row.singer_created_at),
    updated_at: wireTime(row.singer_updated_at),
    name: row.singer_name,
    cover:
      row.singer_cover === null
        ? null
        : { id: row.singer_cover, size: row.singer_cover_size, paid_node: null },
  },
  storage:
    row.storage === null
      ? null
      : {
          id: row.storage,
          ...(price
            ? {
                amount: price.amount,
                type: price.extra ?? 'download',
                paid: price.paid,
                paid_node: price.id,
              }
            : {}),
        },
})

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
  /** Ids of the song's albums. Undefined keeps the current albums. */
  specials?: number[]
  /** `type`: use of the song that requires payment. Null removes the price. */
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

async function sellSong(tx: Db, storage: number | null, price: SongInput['price']): Promise<void> {
  if (storage === null) {
    if (price)
      throw invalidField('amount', {
        en: 'A song without an audio file cannot have a price.',
        zh: '没有音频的歌曲不能设置价格。',
      })
    return
  }
  if (price)
    await setPrices(tx, [
      { channel: 'file', raw: storage, amount: price.amount, userId: 0, extra: price.type },
    ])
  else await removePrices(tx, 'file', [storage])
}

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

export async function changeSong(
  tx: Tx,
  ownerId: number,
  song: { id: number; storage: number | null },
  input: SongInput,
): Promise<void> {
  await requireParts(tx, input)
  const { specials, price, ...values } = input
  if (values.storage === song.storage) delete values.storage
  // Resets the duration, because a job has to measure the new sound.
  if (values.storage !== undefined && values.lastTime === undefined) values.lastTime = 0
  if (values.storage) await takeSound(tx, values.storage, ownerId, song.id)
  await updateSong(tx, song.id, values)
  if (values.storage && values.lastTime === 0)
    await addJob(tx, 'measure_song', { song: song.id, sound: values.storage })
  if (values.storage !== undefined && song.storage !== null) {
    // Moves the price from the former sound to the new one, so that buyers keep access.
    if (values.storage !== null) await movePrice(tx, 'file', song.storage, values.storage)
    await detachFiles(tx, { ids: [song.storage] })
  }
  if (price !== undefined) await sellSong(tx, values.storage ?? song.storage, price)
  if (specials) await replaceSpecials(tx, song.id, [...new Set(specials)])
}

export async function removeSong(
  tx: Tx,
  { id, storage }: { id: number; storage: number | null },
): Promise<void> {
  if (!(await deleteSong(tx, id))) throw noSuchSong()
  if (storage !== null) await closeSales(tx, 'file', [storage], true)
  await deleteLikesOf(tx, songContent.type, [id])
  await deleteCommentsOf(tx, songContent.type, [id])
  await withdrawContent(tx, { type: songContent.type, ids: [id] })
}

/**
 * Measures a song's sound. Stores the duration unless the song already has a duration or a different sound
 * (music-15).
 */
export async function measureSong(
  ctx: Context,
  { song, sound }: { song: number; sound: number },
): Promise<void> {
  const stored = await readUpload(ctx, sound)
  if (!stored) return
  const seconds = await readDuration(await buffer(stored.stream), stored.mime)
  if (seconds !== undefined)
    await setLastTime(ctx.sql, { song, sound, seconds: Math.max(1, Math.round(seconds)) })
}
