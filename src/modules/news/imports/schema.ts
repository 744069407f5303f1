import { ImportTime } from '#platform/import-lines.ts'
import { Flag, Int, MAX_ID, Nullable, Text, TextList, Type } from '#platform/schema.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))

/** The lines of a file of news. What a line refers to stands in an earlier one, or is there already. */
export const NEWS_FORMS = {
  category: Type.Object({
    kind: Kind,
    name: Text(50),
    rank: Type.Optional(Int(-1_000_000, 1_000_000)),
  }),
  article: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    subject: Type.Optional(Nullable(Text(400))),
    content: Text(100_000, { minLength: 1 }),
    from: Type.Optional(Nullable(Text(100))),
    author: Type.Optional(Nullable(Text(100))),
    user: Text(100),
    category: Text(50),
    tags: Type.Optional(TextList(20, 100)),
    recommend: Type.Optional(Flag()),
    hits: Type.Optional(Int(0, MAX_ID)),
    created_at: ImportTime,
  }),
  comment: Type.Object({
    kind: Kind,
    news: ExternalId,
    user: Text(100),
    body: Text(255, { minLength: 1 }),
    created_at: ImportTime,
  }),
}
