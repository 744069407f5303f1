import { wireTime } from '#lib/time.ts'
import {
  addSinger,
  addSong,
  addSpecial,
  changeSinger,
  changeSong,
  changeSpecial,
  noSuchSinger,
  noSuchSong,
  noSuchSpecial,
  removeSinger,
  removeSong,
  removeSpecial,
} from '#modules/music/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { recordRoutes } from '../records.ts'
import {
  findSingerRecord,
  findSongRecord,
  findSpecialRecord,
  listSingerRecords,
  listSongRecords,
  listSpecialRecords,
} from './queries.ts'
import {
  NewSinger,
  NewSong,
  NewSpecial,
  SingerQuery,
  SingerRecord,
  SongQuery,
  SongRecord,
  SpecialQuery,
  SpecialRecord,
} from './schema.ts'

const ability = 'admin: music'

async function view<Row extends { created_at: string; updated_at: string }>(rows: Row[]): Promise<Row[]> {
  return rows.map((row) => ({
    ...row,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
  }))
}

/** What of a song's body is given, in our names. */
const songInput = ({ singer_id, last_time, ...rest }: Partial<NewSong>) => ({
  ...rest,
  ...(singer_id === undefined ? {} : { singerId: singer_id }),
  ...(last_time === undefined ? {} : { lastTime: last_time }),
})

/** Singers, albums and songs under /admin/music. */
export function adminMusicRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/music/singers',
    ability,
    subject: 'music-singers',
    noun: 'a singer',
    item: SingerRecord,
    query: SingerQuery,
    body: NewSinger,
    missing: noSuchSinger,
    list: listSingerRecords,
    find: findSingerRecord,
    view,
    create: (tx, userId, body) => addSinger(tx, userId, body),
    change: (tx, userId, row, body) => changeSinger(tx, userId, row, body),
    remove: (tx, { id }) => removeSinger(tx, id),
  })
  recordRoutes(server, ctx, {
    path: '/admin/music/specials',
    ability,
    subject: 'music-specials',
    noun: 'an album',
    item: SpecialRecord,
    query: SpecialQuery,
    body: NewSpecial,
    missing: noSuchSpecial,
    list: listSpecialRecords,
    find: findSpecialRecord,
    view,
    create: (tx, userId, body) => addSpecial(tx, userId, body),
    change: (tx, userId, row, body) => changeSpecial(tx, userId, row, body),
    remove: (tx, { id }) => removeSpecial(tx, id),
  })
  recordRoutes(server, ctx, {
    path: '/admin/music/songs',
    ability,
    subject: 'music-songs',
    noun: 'a song',
    item: SongRecord,
    query: SongQuery,
    body: NewSong,
    missing: noSuchSong,
    list: listSongRecords,
    find: findSongRecord,
    view,
    create: (tx, userId, body) =>
      addSong(tx, userId, { ...songInput(body), title: body.title, singerId: body.singer_id }),
    change: (tx, userId, row, body) => changeSong(tx, userId, row, songInput(body)),
    remove: (tx, { id }) => removeSong(tx, id),
  })
}
