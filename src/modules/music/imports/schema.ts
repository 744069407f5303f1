import { ImportTime } from '#platform/import-lines.ts'
import { Int, MAX_ID, Nullable, Text, TextList, Type } from '#platform/schema.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))

/** The lines of a file of music. What a line refers to stands in an earlier one, or is there already. */
export const MUSIC_FORMS = {
  special: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    intro: Type.Optional(Nullable(Text(10_000))),
    sort: Type.Optional(Int(-1_000_000, 1_000_000)),
    created_at: ImportTime,
  }),
  song: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    singer: Text(100),
    last_time: Type.Optional(Int(0, 10_000_000)),
    lyric: Type.Optional(Nullable(Text(100_000))),
    sort: Type.Optional(Int(-1_000_000, 1_000_000)),
    specials: Type.Optional(TextList(500, 100)),
    taste_count: Type.Optional(Int(0, MAX_ID)),
    share_count: Type.Optional(Int(0, MAX_ID)),
    created_at: ImportTime,
  }),
  comment: Type.Object({
    kind: Kind,
    song: Type.Optional(ExternalId),
    special: Type.Optional(ExternalId),
    user: Text(100),
    body: Text(255, { minLength: 1 }),
    created_at: ImportTime,
  }),
}
