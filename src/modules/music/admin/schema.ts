import { amountOf, IN_EITHER } from '#modules/ledger/index.ts'
import {
  Id,
  IdList,
  Int,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

const Sort = Type.Optional(Int(-1_000_000, 1_000_000))
const times = { created_at: Time, updated_at: Time }

/** A singer in the administration. */
export const SingerRecord = Shared('SingerRecord', {
  id: Type.Integer(),
  name: Type.String(),
  cover: Nullable(Type.Integer()),
  songs_count: Type.Integer(),
  ...times,
})
export const SingerQuery = Type.Object({ ...listingQuery(['id', 'name']), name: Type.Optional(Text(100)) })
export type SingerQuery = Static<typeof SingerQuery>
export const NewSinger = Shared('NewSinger', { name: Text(100), cover: Type.Optional(Nullable(Id)) })

/** An album in the administration. */
export const SpecialRecord = Shared('SpecialRecord', {
  id: Type.Integer(),
  title: Type.String(),
  intro: Nullable(Type.String()),
  storage: Nullable(Type.Integer()),
  sort: Type.Integer(),
  share_count: Type.Integer(),
  comment_count: Type.Integer(),
  collect_count: Type.Integer(),
  songs_count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_EITHER)),
  ...times,
})
export const SpecialQuery = Type.Object({
  ...listingQuery(['id', 'sort', 'collect_count', 'comment_count', 'share_count']),
  title: Type.Optional(Text(100)),
})
export type SpecialQuery = Static<typeof SpecialQuery>
/** `amount` is the price of the album. */
export const NewSpecial = Shared('NewSpecial', {
  title: Text(255),
  intro: Type.Optional(Nullable(Text(10_000))),
  storage: Type.Optional(Nullable(Id)),
  sort: Sort,
  amount: Type.Optional(Nullable(amountOf(IN_EITHER))),
})

/** A song in the administration. */
export const SongRecord = Shared('SongRecord', {
  id: Type.Integer(),
  title: Type.String(),
  singer_id: Type.Integer(),
  singer: Type.String(),
  storage: Nullable(Type.Integer()),
  last_time: Type.Integer(),
  lyric: Nullable(Type.String()),
  sort: Type.Integer(),
  specials: Type.Array(Type.Integer()),
  taste_count: Type.Integer(),
  share_count: Type.Integer(),
  comment_count: Type.Integer(),
  amount: Nullable(Type.Integer(IN_EITHER)),
  paid_type: Nullable(Type.String()),
  ...times,
})
export const SongQuery = Type.Object({
  ...listingQuery(['id', 'sort', 'taste_count', 'share_count', 'comment_count']),
  title: Type.Optional(Text(100)),
  singer_id: Type.Optional(Id),
  special_id: Type.Optional(Id),
})
export type SongQuery = Static<typeof SongQuery>
/** `amount` is the price of the sound, `paid_type` the part that is sold. */
export const NewSong = Shared('NewSong', {
  title: Text(255),
  singer_id: Id,
  storage: Type.Optional(Nullable(Id)),
  last_time: Type.Optional(Int(0, 10_000_000)),
  lyric: Type.Optional(Nullable(Text(100_000))),
  sort: Sort,
  specials: Type.Optional(IdList(500)),
  amount: Type.Optional(Nullable(amountOf(IN_EITHER))),
  paid_type: Type.Optional(OneOf(['listen', 'download'] as const)),
})
export type NewSong = Static<typeof NewSong>
