import { nameKey } from '#lib/text.ts'
import { zuluTime } from '#lib/time.ts'
import { importComments } from '#modules/comments/index.ts'
import type { Db } from '#platform/database.ts'
import { type Fault, type Importer, sift } from '#platform/import-lines.ts'
import {
  countImported,
  exportComments,
  exportSongs,
  exportSpecials,
  findImported,
  insertLinks,
  insertSongs,
  insertSpecials,
  peopleByName,
  singersByName,
} from './queries.ts'
import { MUSIC_FORMS } from './schema.ts'

const invisible = (text: string) => nameKey(text) === ''

/** `kith import music`: albums, songs and comments. What is there already under the same id is left as it is. */
export const musicImporter: Importer<typeof MUSIC_FORMS> = {
  name: 'music',
  forms: MUSIC_FORMS,
  async write(tx, { special, song, comment }) {
    const faults: Fault[] = []
    const specials = sift(special, faults, ({ title }) =>
      invisible(title) ? 'the title shows no character' : undefined,
    ).map(({ value }) => value)
    await insertSpecials(
      tx,
      specials.map(({ id, title, intro = null, sort = 0, created_at: createdAt = null }) => ({
        id,
        title,
        intro,
        sort,
        createdAt,
      })),
    )

    const wantedSpecials = [
      ...song.flatMap(({ value }) => value.specials ?? []),
      ...comment.flatMap(({ value }) => value.special ?? []),
    ]
    const known = await findImported(tx, 'music_specials', [...new Set(wantedSpecials)])
    const exists = (id: string) => known.get(id)?.deleted === false
    const songs = sift(song, faults, ({ title, singer, specials: on = [] }) => {
      if (invisible(title)) return 'the title shows no character'
      if (invisible(singer)) return 'the singer shows no character'
      const missing = on.find((id) => !exists(id))
      return missing === undefined ? undefined : `there is no special ${missing}`
    }).map(({ value }) => value)
    const singers = await singersByName(
      tx,
      songs.map(({ singer }) => singer),
    )
    await insertSongs(
      tx,
      [...new Map(songs.map((value) => [value.id, value])).values()].map((value) => ({
        id: value.id,
        title: value.title,
        singerId: singers.get(nameKey(value.singer)) ?? 0,
        lastTime: value.last_time ?? 0,
        lyric: value.lyric ?? null,
        sort: value.sort ?? 0,
        createdAt: value.created_at ?? null,
        plays: value.taste_count ?? 0,
        shares: value.share_count ?? 0,
      })),
    )

    const wantedSongs = [...songs.map(({ id }) => id), ...comment.flatMap(({ value }) => value.song ?? [])]
    const found = await findImported(tx, 'music_songs', [...new Set(wantedSongs)])
    await insertLinks(
      tx,
      songs.flatMap(({ id, specials: on = [] }) => {
        const made = found.get(id)
        if (!made || made.deleted) return []
        return on.map((special) => ({ specialId: known.get(special)?.id ?? 0, songId: made.id }))
      }),
    )

    const people = await peopleByName(tx, [...new Set(comment.map(({ value }) => value.user))])
    const comments = sift(comment, faults, ({ song: on, special: under, user }) => {
      if ((on === undefined) === (under === undefined)) return 'give either song or special'
      if (on !== undefined && found.get(on)?.deleted !== false) return `there is no song ${on}`
      if (under !== undefined && !exists(under)) return `there is no special ${under}`
      return people.has(nameKey(user)) ? undefined : `there is nobody named ${user}`
    }).map(({ value }) => value)
    for (const [of, type] of [
      ['song', 'musics'],
      ['special', 'music_specials'],
    ] as const) {
      const rows = comments.flatMap((value) => {
        const key = value[of]
        if (key === undefined) return []
        const thing = (of === 'song' ? found : known).get(key)
        return [
          {
            thingId: thing?.id ?? 0,
            userId: people.get(nameKey(value.user)) ?? 0,
            targetUser: 0,
            body: value.body,
            createdAt: value.created_at ?? null,
          },
        ]
      })
      await importComments(tx, type, rows)
      await countImported(
        tx,
        of,
        rows.map(({ thingId }) => thingId),
      )
    }
    return faults
  },
}

/** All music in the form that can be imported, a batch at a time. */
export async function* exportMusic(sql: Db): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const rows = await exportSpecials(sql, after)
    if (rows.length === 0) break
    after = rows.at(-1)?.n ?? after
    yield rows.map(({ n: _, ...row }) => ({
      kind: 'special',
      ...row,
      created_at: zuluTime(row.created_at),
    }))
  }
  for (let after = 0; ; ) {
    const rows = await exportSongs(sql, after)
    if (rows.length === 0) break
    after = rows.at(-1)?.n ?? after
    yield rows.map(({ n: _, ...row }) => ({ kind: 'song', ...row, created_at: zuluTime(row.created_at) }))
  }
  for (let after = 0; ; ) {
    const rows = await exportComments(sql, after)
    if (rows.length === 0) break
    after = rows.at(-1)?.n ?? after
    yield rows.map(({ n: _, song, special, ...row }) => ({
      kind: 'comment',
      ...(song === null ? { special } : { song }),
      ...row,
      created_at: zuluTime(row.created_at),
    }))
  }
}
