import { nameKey } from '#lib/text.ts'
import { importUsers, UserForm, userIdsByName } from '#modules/accounts/index.ts'
import { importComments } from '#modules/comments/index.ts'
import {
  attachImported,
  ImportPath,
  type SavedFiles,
  saveFiles,
  type WantedFile,
} from '#modules/files/index.ts'
import { Amount } from '#modules/ledger/index.ts'
import { type Price, setPrices } from '#modules/purchases/index.ts'
import type { Tx } from '#platform/database'
import { Int, MAX_ID, Nullable, OneOf, type Static, Text, Type } from '#platform/http'
import {
  type Importer,
  type ImportFault,
  type ImportSource,
  ImportTime,
  type Line,
  skipInvalid,
} from '#transfer/import-lines.ts'
import {
  countImported,
  findImported,
  type Imported,
  insertLinks,
  insertSingers,
  insertSongs,
  insertSpecials,
  singersByKey,
} from './queries.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))
const Count = Type.Optional(Int(0, MAX_ID))
const Sort = Type.Optional(Int(-1_000_000, 1_000_000))
const times = { created_at: ImportTime, updated_at: ImportTime }

const MUSIC_FORMS = {
  person: UserForm,
  singer: Type.Object({
    kind: Kind,
    name: Text(100),
    cover: Type.Optional(ImportPath),
    ...times,
  }),
  special: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    intro: Type.Optional(Nullable(Text(10_000))),
    sort: Sort,
    cover: Type.Optional(ImportPath),
    amount: Type.Optional(Amount),
    share_count: Count,
    ...times,
  }),
  song: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    singer: Text(100),
    last_time: Type.Optional(Int(0, 10_000_000)),
    lyric: Type.Optional(Nullable(Text(100_000))),
    sort: Sort,
    specials: Type.Optional(Type.Array(Text(100), { maxItems: 500 })),
    file: Type.Optional(ImportPath),
    amount: Type.Optional(Amount),
    paid_type: Type.Optional(OneOf(['listen', 'download'] as const)),
    taste_count: Count,
    share_count: Count,
    ...times,
  }),
  comment: Type.Object({
    kind: Kind,
    id: Type.Optional(ExternalId),
    song: Type.Optional(ExternalId),
    special: Type.Optional(ExternalId),
    user: Text(100),
    reply: Type.Optional(Text(100)),
    body: Text(255, { minLength: 1 }),
    created_at: ImportTime,
  }),
}

type SingerLine = Static<typeof MUSIC_FORMS.singer>
type SpecialLine = Static<typeof MUSIC_FORMS.special>
type SongLine = Static<typeof MUSIC_FORMS.song>
type CommentLine = Static<typeof MUSIC_FORMS.comment>

const SONGS = 'musics'
const SPECIALS = 'music_specials'
const invisible = (text: string) => nameKey(text) === ''
const byId = <T extends { id: string }>(lines: Line<T>[]) =>
  new Map(lines.map((line) => [line.value.id, line]))
const keysOf = (lines: Line<{ id: string }>[]) => lines.map(({ value }) => value.id)

export const musicImporter: Importer<typeof MUSIC_FORMS, SavedFiles> = {
  name: 'music',
  forms: MUSIC_FORMS,
  filesOf: (kind, value) => ('cover' in value || (kind === 'song' && 'file' in value) ? 1 : 0),

  async prepare(ctx, { singer, special, song }, { folder }) {
    const { sql } = ctx
    const covered = singer.filter(({ value }) => value.cover !== undefined)
    const [singers, specials, songs] = await Promise.all([
      singersByKey(
        sql,
        covered.map(({ value }) => nameKey(value.name)),
      ),
      findImported(sql, 'music_specials', keysOf(special)),
      findImported(sql, 'music_songs', keysOf(song)),
    ])
    const wanted: WantedFile[] = []
    for (const { number, value } of covered)
      if (value.cover !== undefined && !singers.has(nameKey(value.name)))
        wanted.push({ number, field: 'cover', path: value.cover, kind: 'image' })
    for (const { number, value } of special)
      if (value.cover !== undefined && !specials.has(value.id))
        wanted.push({ number, field: 'cover', path: value.cover, kind: 'image' })
    for (const { number, value } of song)
      if (value.file !== undefined && !songs.has(value.id))
        wanted.push({ number, field: 'file', path: value.file, kind: 'audio' })
    const { saved, faults } = await saveFiles(ctx, folder, wanted)
    return { ready: saved, faults }
  },

  async write(tx, { person, singer, special, song, comment }, files, source) {
    const faults: ImportFault[] = []
    await importUsers(tx, person, faults)
    await writeSingers(tx, singer, files, faults)
    await writeSpecials(tx, special, files, faults)
    const specials = await findImported(tx, 'music_specials', [
      ...song.flatMap(({ value }) => value.specials ?? []),
      ...comment.flatMap(({ value }) => value.special ?? []),
    ])
    await writeSongs(tx, song, files, specials, faults)
    await writeComments(tx, comment, specials, source, faults)
    return faults
  },
}

async function writeSingers(tx: Tx, lines: Line<SingerLine>[], files: SavedFiles, faults: ImportFault[]) {
  const singers = skipInvalid(lines, faults, ({ name }) =>
    invisible(name) ? 'the name has no visible characters' : undefined,
  )
  const values = singers.map(({ number, value: { name, ...times } }) => {
    const saved = files.of(number, 'cover')
    return {
      name,
      cover: saved?.id ?? null,
      coverSize: saved?.size ?? null,
      createdAt: times.created_at ?? null,
      updatedAt: times.updated_at ?? null,
    }
  })
  const ids = await insertSingers(tx, values)
  await attachImported(
    tx,
    values.flatMap(({ name, cover }) => {
      const raw = ids.get(nameKey(name))
      return cover === null || raw === undefined ? [] : [{ id: cover, channel: 'music:singer:cover', raw }]
    }),
  )
}

async function writeSpecials(tx: Tx, lines: Line<SpecialLine>[], files: SavedFiles, faults: ImportFault[]) {
  const specials = byId(
    skipInvalid(lines, faults, ({ title }) =>
      invisible(title) ? 'the title has no visible characters' : undefined,
    ),
  )
  const imported = await findImported(tx, 'music_specials', [...specials.keys()])
  const values = [...specials.values()].flatMap(({ number, value }) => {
    if (imported.has(value.id)) return []
    const saved = files.of(number, 'cover')
    return {
      key: value.id,
      title: value.title,
      intro: value.intro ?? null,
      sort: value.sort ?? 0,
      storage: saved?.id ?? null,
      storageSize: saved?.size ?? null,
      shares: value.share_count ?? 0,
      createdAt: value.created_at ?? null,
      updatedAt: value.updated_at ?? null,
    }
  })
  const ids = await insertSpecials(tx, values)
  await attachImported(
    tx,
    values.flatMap(({ key, storage }) => {
      const raw = ids.get(key)
      return storage === null || raw === undefined
        ? []
        : [{ id: storage, channel: 'music:special:storage', raw }]
    }),
  )
  await price(
    tx,
    [...ids].flatMap(([key, raw]) => {
      const amount = specials.get(key)?.value.amount
      return amount === undefined ? [] : [{ channel: 'music', raw, amount, userId: 0, extra: 'read' }]
    }),
  )
}

async function writeSongs(
  tx: Tx,
  lines: Line<SongLine>[],
  files: SavedFiles,
  specials: Map<string, Imported>,
  faults: ImportFault[],
) {
  const songs = byId(
    skipInvalid(lines, faults, ({ title, singer, specials: on = [], file, amount, paid_type: type }) => {
      if (invisible(title)) return 'the title has no visible characters'
      if (invisible(singer)) return 'the singer has no visible characters'
      if (amount !== undefined && file === undefined) return 'a song without a file cannot have a price'
      if (amount !== undefined && type === undefined) return 'paid_type is required with amount'
      const missing = on.find((id) => !specials.has(id))
      return missing === undefined ? undefined : `there is no special ${missing}`
    }),
  )
  const imported = await findImported(tx, 'music_songs', [...songs.keys()])
  const fresh = [...songs.values()].filter(({ value }) => !imported.has(value.id))
  const keys = new Map(fresh.map(({ value }) => [value.singer, nameKey(value.singer)]))
  await insertSingers(
    tx,
    [...keys.keys()].map((name) => ({
      name,
      cover: null,
      coverSize: null,
      createdAt: null,
      updatedAt: null,
    })),
  )
  const singers = await singersByKey(tx, [...new Set(keys.values())])
  const values = fresh.map(({ number, value }) => ({
    key: value.id,
    title: value.title,
    singerId: singers.get(keys.get(value.singer) ?? '') ?? 0,
    storage: files.of(number, 'file')?.id ?? null,
    lastTime: value.last_time ?? 0,
    lyric: value.lyric ?? null,
    sort: value.sort ?? 0,
    plays: value.taste_count ?? 0,
    shares: value.share_count ?? 0,
    createdAt: value.created_at ?? null,
    updatedAt: value.updated_at ?? null,
  }))
  const ids = await insertSongs(tx, values)
  const links: { specialId: number; songId: number }[] = []
  const uses: { id: number; channel: string; raw: number }[] = []
  const prices: Price[] = []
  for (const { key, storage } of values) {
    const songId = ids.get(key)
    const value = songs.get(key)?.value
    if (songId === undefined || !value) continue
    for (const id of new Set(value.specials)) {
      const special = specials.get(id)
      if (special && !special.deleted) links.push({ specialId: special.id, songId })
    }
    if (storage === null) continue
    uses.push({ id: storage, channel: 'music:storage', raw: songId })
    const { amount, paid_type: extra } = value
    if (amount !== undefined && extra)
      prices.push({ channel: 'file', raw: storage, amount, userId: 0, extra })
  }
  await insertLinks(tx, links)
  await attachImported(tx, uses)
  await price(tx, prices)
}

const price = async (tx: Tx, prices: Price[]) => void (prices.length > 0 && (await setPrices(tx, prices)))

async function writeComments(
  tx: Tx,
  lines: Line<CommentLine>[],
  specials: Map<string, Imported>,
  { hash }: ImportSource,
  faults: ImportFault[],
) {
  if (lines.length === 0) return
  const songs = await findImported(
    tx,
    'music_songs',
    lines.flatMap(({ value }) => value.song ?? []),
  )
  const people = await userIdsByName(
    tx,
    lines.flatMap(({ value: { user, reply } }) => (reply === undefined ? [user] : [user, reply])),
  )
  const comments = skipInvalid(lines, faults, ({ song, special, user, reply }) => {
    if ((song === undefined) === (special === undefined)) return 'give either song or special'
    if (song !== undefined && songs.get(song)?.deleted !== false) return `there is no song ${song}`
    if (special !== undefined && specials.get(special)?.deleted !== false)
      return `there is no special ${special}`
    const missing = [user, reply].find((name) => name !== undefined && !people.has(name))
    return missing === undefined ? undefined : `there is no user named ${missing}`
  })
  const rows = comments.flatMap(({ number, value }) => {
    const content = value.song === undefined ? specials.get(value.special ?? '') : songs.get(value.song)
    if (!content) return []
    return {
      key: value.id ?? `${hash.slice(0, 32)}:${number}`,
      type: value.song === undefined ? SPECIALS : SONGS,
      contentId: content.id,
      userId: people.get(value.user) ?? 0,
      targetUser: 0,
      replyUser: people.get(value.reply ?? '') ?? 0,
      body: value.body,
      createdAt: value.created_at ?? null,
    }
  })
  const ids = await importComments(tx, rows)
  await countImported(tx, 'song', ids.get(SONGS) ?? [])
  await countImported(tx, 'special', ids.get(SPECIALS) ?? [])
}
