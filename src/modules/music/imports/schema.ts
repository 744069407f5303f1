import { UserForm } from '#modules/accounts/index.ts'
import { ImportPath } from '#modules/files/index.ts'
import { Amount } from '#modules/ledger/index.ts'
import { Int, MAX_ID, Nullable, OneOf, type Static, Text, Type } from '#platform/http'
import { ImportTime } from '#transfer/import-lines.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))
const Count = Type.Optional(Int(0, MAX_ID))
const Sort = Type.Optional(Int(-1_000_000, 1_000_000))
const times = { created_at: ImportTime, updated_at: ImportTime }

/** Lines of a music file. A line refers to earlier lines or existing rows. */
export const MUSIC_FORMS = {
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

export type SingerLine = Static<typeof MUSIC_FORMS.singer>
export type SpecialLine = Static<typeof MUSIC_FORMS.special>
export type SongLine = Static<typeof MUSIC_FORMS.song>
export type CommentLine = Static<typeof MUSIC_FORMS.comment>
