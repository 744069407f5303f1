import { withWireTimes } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import type { Server } from '#platform/http'
import {
  noSuchSinger,
  noSuchSong,
  noSuchSpecial,
  singerHasSongs,
  singerNameTaken,
  unknownSinger,
  unknownSpecial,
} from '../schema.ts'
import { addSinger, changeSinger, removeSinger } from '../singers.ts'
import { addSong, changeSong, removeSong, type SongInput } from '../songs/service.ts'
import { addSpecial, changeSpecial, removeSpecial } from '../specials/service.ts'
import {
  findSingerRecord,
  findSongRecord,
  findSpecialRecord,
  listSingerRecords,
  listSongRecords,
  listSpecialRecords,
  NewSinger,
  NewSong,
  NewSpecial,
  SingerQuery,
  SingerRecord,
  SongQuery,
  SongRecord,
  SpecialQuery,
  SpecialRecord,
} from './queries.ts'

const ability = 'admin: music'
const tag = 'Admin: music'
const typeMissing = fieldError(
  'paid_type',
  'validation_failed',
  'The paid_type field is required with amount.',
  '设置金额时，付费类型（paid_type）不能为空。',
)

async function view<Row extends { created_at: string; updated_at: string }>(rows: Row[]): Promise<Row[]> {
  return rows.map(withWireTimes)
}

function songInput(
  { singer_id, last_time, amount, paid_type, ...rest }: Partial<NewSong>,
  now: { amount: number | null; paid_type: string | null } = { amount: null, paid_type: null },
): SongInput {
  const paidType = now.paid_type === 'listen' || now.paid_type === 'download' ? now.paid_type : undefined
  const type = paid_type ?? paidType
  const price = amount === undefined && paid_type !== undefined ? now.amount : amount
  if (price && !type) throw typeMissing()
  return {
    ...rest,
    ...(price === undefined ? {} : { price: price && type ? { amount: price, type } : null }),
    ...(singer_id === undefined ? {} : { singerId: singer_id }),
    ...(last_time === undefined ? {} : { lastTime: last_time }),
  }
}

export function adminMusicRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/music/singers',
    tag,
    ability,
    subject: 'music-singers',
    entity: 'Singer',
    noun: 'a singer',
    nouns: 'singers',
    item: SingerRecord,
    query: SingerQuery,
    body: NewSinger,
    missing: noSuchSinger,
    errors: [singerNameTaken, singerHasSongs, fileNotUsable],
    list: listSingerRecords,
    find: findSingerRecord,
    view,
    create: (tx, userId, body) => addSinger(tx, userId, body),
    change: (tx, userId, row, body) => changeSinger(tx, userId, row, body),
    remove: (tx, { id }) => removeSinger(tx, id),
  })
  mountAdminRecords(server, ctx, {
    path: '/admin/music/specials',
    tag,
    ability,
    subject: 'music-specials',
    entity: 'Album',
    noun: 'an album',
    nouns: 'albums',
    item: SpecialRecord,
    query: SpecialQuery,
    body: NewSpecial,
    missing: noSuchSpecial,
    errors: [fileNotUsable],
    list: listSpecialRecords,
    find: findSpecialRecord,
    view,
    create: (tx, userId, body) => addSpecial(tx, userId, body),
    change: (tx, userId, row, body) => changeSpecial(tx, userId, row, body),
    remove: (tx, { id }) => removeSpecial(tx, id),
  })
  mountAdminRecords(server, ctx, {
    path: '/admin/music/songs',
    tag,
    ability,
    subject: 'music-songs',
    entity: 'Song',
    noun: 'a song',
    nouns: 'songs',
    item: SongRecord,
    query: SongQuery,
    body: NewSong,
    missing: noSuchSong,
    errors: [unknownSinger, unknownSpecial, typeMissing, fileNotUsable],
    list: listSongRecords,
    find: findSongRecord,
    view,
    create: (tx, userId, body) =>
      addSong(tx, userId, { ...songInput(body), title: body.title, singerId: body.singer_id }),
    change: (tx, userId, row, body) => changeSong(tx, userId, row, songInput(body, row)),
    remove: (tx, row) => removeSong(tx, row),
  })
}
