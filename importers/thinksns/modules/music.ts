import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database'
import { orNone } from '../database/changes.ts'
import { defineTable } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { all, detached, existing, freedNames, removed } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'
import { findUses } from './files/uses.ts'

const dates = { ...TIMES, deleted_at: 'time' } as const
const DATE_COLUMNS = { ...TIME_COLUMNS, deleted_at: 'timestamptz' }
type Dates = { created_at: string | null; updated_at: string | null; deleted_at: string | null }
const datesOf = (row: Dates) => ({ ...timesOf(row), deleted_at: row.deleted_at })
const titled = (row: { id: number | null; title: string | null }, noun: string) => {
  const title = row.title?.trim() || `${noun} ${row.id}`
  return { title, title_key: nameKey(title), title_grams: grams(title) }
}

async function unknownSinger(sql: Db): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with made as (
      insert into music_singers (id, name, name_key, name_grams) values (0, '未知歌手', '未知歌手', ${grams('未知歌手')})
      on conflict do nothing returning id
    )
    select id from made union all select id from music_singers where id = 0 limit 1`
  return row?.id ?? 0
}

const singers = defineTable({
  table: 'music_singers',
  by: 'id',
  into: [{ table: 'music_singers', columns: { cover: orNone } }],
  key: ['id'],
  gone: all(
    freedNames('music_singers'),
    detached('music_singers', async (tx, ids) => {
      const unknown = await unknownSinger(tx)
      await tx`update music_songs set singer_id = ${unknown} where singer_id = any(${ids})`
    }),
  ),
  reread: 'always',
  columns: { id: 'int', name: 'text', cover: 'int', ...dates },
  async write(tx, rows, batch) {
    const covers = new Map(
      (
        await findUses(
          tx,
          rows.map(({ cover }) => cover ?? 0),
        )
      ).map((use) => [use.id, use]),
    )
    const live = await tx<{ key: string }[]>`
      select name_key as key from music_singers where deleted_at is null
        and not id = any(${rows.map(({ id }) => id ?? 0)})`
    const taken = new Set(live.map(({ key }) => key))
    const given = rows.map((row) => {
      let name = row.name?.trim() || `singer ${row.id}`
      if (row.deleted_at === null && taken.has(nameKey(name))) {
        name = `${name} ${row.id}`
        batch.mend(row, 'duplicate name of a singer: id appended', 'name')
      }
      if (row.deleted_at === null) taken.add(nameKey(name))
      const cover = covers.get(row.cover ?? 0)
      return {
        id: row.id,
        name,
        name_key: nameKey(name),
        name_grams: grams(name),
        cover: cover?.id ?? null,
        cover_size: cover?.size ?? null,
        ...datesOf(row),
      }
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      name_grams: 'text[]',
      cover: 'bigint',
      cover_size: 'text',
      ...DATE_COLUMNS,
    }
    await upsert(tx, 'music_singers', columns, given)
  },
})

const songs = defineTable({
  table: 'musics',
  by: 'id',
  into: [
    { table: 'music_songs', columns: { singer: 'singer_id', storage: orNone } },
    { table: 'music_song_counts', key: { song_id: 'id' }, only: ['taste_count', 'share_count'] },
  ],
  key: ['id'],
  gone: removed('music_songs'),
  reread: 'always',
  states: existing('musics', 'music_songs', (sql) => sql`deleted_at is null`),
  batch: 500,
  columns: {
    id: 'int',
    title: 'text',
    singer: 'int',
    storage: 'int',
    last_time: 'int',
    lyric: 'text',
    taste_count: 'int',
    share_count: 'int',
    sort: 'int',
    ...dates,
  },
  async write(tx, rows, batch) {
    const found = await tx<{ id: number }[]>`
      select id from music_singers where id = any(${rows.map(({ singer }) => singer ?? 0)})`
    const known = new Set(found.map(({ id }) => id))
    const sounds = new Set(
      (
        await findUses(
          tx,
          rows.map(({ storage }) => storage ?? 0),
        )
      ).map(({ id }) => id),
    )
    const orphans = rows.filter(({ singer }) => !known.has(singer ?? 0))
    let unknown = 0
    if (orphans.length > 0) {
      unknown = await unknownSinger(tx)
      for (const row of orphans)
        batch.mend(row, 'its singer no longer exists: assigned to an unknown singer', 'singer')
    }
    const given = rows.map((row) => ({
      id: row.id,
      ...titled(row, 'song'),
      singer_id: known.has(row.singer ?? 0) ? row.singer : unknown,
      storage: sounds.has(row.storage ?? 0) ? row.storage : null,
      last_time: Math.max(row.last_time ?? 0, 0),
      lyric: row.lyric,
      sort: row.sort ?? 0,
      ...datesOf(row),
    }))
    const columns = {
      id: 'bigint',
      title: 'text',
      title_key: 'text',
      title_grams: 'text[]',
      singer_id: 'bigint',
      storage: 'bigint',
      last_time: 'int',
      lyric: 'text',
      sort: 'int',
      ...DATE_COLUMNS,
    }
    await upsert(tx, 'music_songs', columns, given)
    const counts = rows.map((row) => ({
      song_id: row.id,
      taste_count: Math.max(row.taste_count ?? 0, 0),
      share_count: Math.max(row.share_count ?? 0, 0),
    }))
    const countColumns = { song_id: 'bigint', taste_count: 'bigint', share_count: 'bigint' }
    await upsert(tx, 'music_song_counts', countColumns, counts, { key: ['song_id'] })
  },
})

const specials = defineTable({
  table: 'music_specials',
  by: 'id',
  into: [
    { table: 'music_specials', columns: { storage: orNone } },
    { table: 'music_special_counts', key: { special_id: 'id' }, only: ['share_count'] },
  ],
  key: ['id'],
  gone: removed('music_specials'),
  reread: 'always',
  states: existing('music_specials', 'music_specials', (sql) => sql`deleted_at is null`),
  columns: {
    id: 'int',
    title: 'text',
    intro: 'text',
    storage: 'int',
    share_count: 'int',
    sort: 'int',
    ...dates,
  },
  async write(tx, rows) {
    const covers = new Map(
      (
        await findUses(
          tx,
          rows.map(({ storage }) => storage ?? 0),
        )
      ).map((use) => [use.id, use]),
    )
    const given = rows.map((row) => ({
      id: row.id,
      ...titled(row, 'album'),
      intro: row.intro,
      storage: covers.get(row.storage ?? 0)?.id ?? null,
      storage_size: covers.get(row.storage ?? 0)?.size ?? null,
      sort: row.sort ?? 0,
      ...datesOf(row),
    }))
    const columns = {
      id: 'bigint',
      title: 'text',
      title_key: 'text',
      title_grams: 'text[]',
      intro: 'text',
      storage: 'bigint',
      storage_size: 'text',
      sort: 'int',
      ...DATE_COLUMNS,
    }
    await upsert(tx, 'music_specials', columns, given)
    const counts = rows.map((row) => ({
      special_id: row.id,
      share_count: Math.max(row.share_count ?? 0, 0),
    }))
    const countColumns = { special_id: 'bigint', share_count: 'bigint' }
    await upsert(tx, 'music_special_counts', countColumns, counts, { key: ['special_id'] })
  },
})

const links = defineTable({
  table: 'music_special_links',
  by: 'special_id',
  into: [
    {
      table: 'music_special_songs',
      key: { special_id: 'special_id', song_id: 'music_id' },
      columns: { id: null, music_id: 'song_id' },
    },
  ],
  key: ['id'],
  gone: removed({
    table: 'music_special_songs',
    by: 'special_id',
    key: { special_id: 'special_id', song_id: 'music_id' },
  }),
  reread: 'always',
  order: ['music_id', 'id'],
  columns: { id: 'int', special_id: 'int', music_id: 'int' },
  async write(tx, rows, batch) {
    const albums = await batch.findBy('music_specials', rows, 'special_id')
    const found = await batch.findBy('musics', rows, 'music_id')
    const given = rows.flatMap((row) => {
      const same = `${row.special_id} ${row.music_id}`
      if (!albums.has(row.special_id ?? 0)) batch.leaveOut(row, 'the album no longer exists')
      else if (!found.has(row.music_id ?? 0)) batch.leaveOut(row, 'the song no longer exists')
      else if (batch.memory.get('last') === same) batch.merge(row, 'duplicate')
      else {
        batch.memory.set('last', same)
        return [{ special_id: row.special_id, song_id: row.music_id }]
      }
      return []
    })
    const columns = { special_id: 'bigint', song_id: 'bigint' }
    await upsert(tx, 'music_special_songs', columns, given, { key: ['special_id', 'song_id'] })
  },
})

export const musicTables = [singers, songs, specials, links]
