import { IN_EITHER } from '#modules/ledger/index.ts'
import { apiError, fieldError, unpaidError } from '#platform/errors.ts'
import {
  Cursor,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
} from '#platform/http'

export const noSuchSong = apiError(404, 'no_such_song', 'This song does not exist.', '歌曲不存在。')
export const noSuchSpecial = apiError(404, 'no_such_special', 'This album does not exist.', '专辑不存在。')
export const noSuchSinger = apiError(404, 'no_such_singer', 'This singer does not exist.', '歌手不存在。')
export const unpaidSpecial = unpaidError(
  'special_not_paid',
  'You must pay for this album first.',
  '请先购买专辑。',
)
export const unknownSinger = fieldError(
  'singer_id',
  'no_such_singer',
  'This singer does not exist.',
  '歌手不存在。',
)
export const unknownSpecial = fieldError(
  'specials',
  'no_such_special',
  'This album does not exist.',
  '专辑不存在。',
)
export const singerNameTaken = apiError(
  422,
  'singer_name_taken',
  'A singer with this name already exists.',
  '该名称的歌手已存在。',
)
export const singerHasSongs = apiError(
  422,
  'singer_has_songs',
  'A singer with songs cannot be deleted.',
  '该歌手仍有歌曲，不能删除。',
)

export const SongParams = Type.Object({ music: Id })
export const SpecialParams = Type.Object({ special: Id })

const Wanted = Type.Optional(Int(1, 100))

/** `limit` defaults to the number of requested ids, or to 15 without ids. */
export const SongListQuery = Type.Object({
  q: Type.Optional(Text(100, { description: 'Part of the title' })),
  limit: Wanted,
  after: Cursor,
  id: Type.Optional(IdList()),
})
export type SongListQuery = Static<typeof SongListQuery>

export const SpecialListQuery = Type.Object({
  limit: Wanted,
  max_id: Cursor,
  after: WithAlias('max_id', Cursor),
  id: Type.Optional(IdList()),
})
export type SpecialListQuery = Static<typeof SpecialListQuery>

export const BoughtQuery = (standard: number) =>
  Type.Object({ limit: Limit(standard), max_id: Cursor, after: WithAlias('max_id', Cursor) })

const counts = {
  taste_count: Type.Integer({ description: 'Number of plays' }),
  share_count: Type.Integer(),
  comment_count: Type.Integer(),
}
const Picture = Shared('MusicPicture', {
  id: Type.Integer(),
  size: Nullable(Type.String({ description: 'width x height' })),
})

/** Song in a list. `singer` and `storage` contain only ids (music-1). */
export const SongItem = Shared('SongItem', {
  id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  deleted_at: Nullable(Time),
  title: Type.String(),
  singer: Type.Integer(),
  storage: Nullable(Shared('SongFile', { id: Type.Integer() })),
  last_time: Type.Integer({ description: 'seconds' }),
  lyric: Nullable(Type.String()),
  ...counts,
  sort: Type.Integer(),
  has_like: Type.Boolean(),
})
export type SongItem = Static<typeof SongItem>

const Singer = Shared('Singer', {
  id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  name: Type.String(),
  cover: Nullable(
    Shared('SingerPicture', {
      ...Picture.properties,
      paid_node: Nullable(Type.Integer({ description: 'Always null, because these pictures are free' })),
    }),
  ),
})

const AlbumOfSong = Shared('AlbumOfSong', { id: Type.Integer(), title: Type.String() })

/** In `storage`, only a song with a price has fields other than `id` (music-2). */
export const Song = Shared('Song', {
  id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  deleted_at: Nullable(Time),
  title: Type.String(),
  singer: Singer,
  storage: Nullable(
    Shared('SongSound', {
      id: Type.Integer(),
      amount: Type.Optional(Type.Integer(IN_EITHER)),
      type: Type.Optional(Type.String({ description: 'listen or download' })),
      paid: Type.Optional(Type.Boolean()),
      paid_node: Type.Optional(Type.Integer()),
    }),
  ),
  last_time: Type.Integer({ description: 'seconds' }),
  lyric: Nullable(Type.String()),
  ...counts,
  sort: Type.Integer(),
  has_like: Type.Boolean(),
  music_specials: Type.Array(AlbumOfSong, { description: 'Albums with this song, newest first' }),
})
export type Song = Static<typeof Song>

/** `taste_count`, `share_count` and `comment_count` of an album include the counts of its songs. */
export const Special = Shared('Special', {
  id: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  deleted_at: Nullable(Time),
  title: Type.String(),
  intro: Nullable(Type.String()),
  storage: Nullable(Picture),
  ...counts,
  collect_count: Type.Integer(),
  sort: Type.Integer(),
  has_collect: Type.Boolean(),
  paid_node: Nullable(
    Shared('AlbumPrice', {
      paid: Type.Boolean(),
      node: Type.Integer(),
      amount: Type.Integer(IN_EITHER),
    }),
  ),
})
export type Special = Static<typeof Special>

export const SpecialDetail = Shared('SpecialWithSongs', { ...Special.properties, musics: Type.Array(Song) })
