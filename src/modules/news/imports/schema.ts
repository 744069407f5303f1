import { PersonForm } from '#modules/accounts/index.ts'
import { ImportPath } from '#modules/files/index.ts'
import { ImportTime } from '#platform/import-lines.ts'
import { Flag, Id, Int, MAX_ID, Nullable, type Static, Text, Type } from '#platform/schema.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))

/** The lines of a file of news. What a line refers to stands in an earlier one, or is there already. */
export const NEWS_FORMS = {
  person: PersonForm,
  category: Type.Object({
    kind: Kind,
    name: Text(50),
    rank: Type.Optional(Int(-1_000_000, 1_000_000)),
  }),
  tag: Type.Object({
    kind: Kind,
    name: Text(100),
    category: Text(100),
    weight: Type.Optional(Int(-1_000_000, 1_000_000)),
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
    tags: Type.Optional(Type.Array(Text(100), { maxItems: 20 })),
    image: Type.Optional(ImportPath),
    /** The uploads that the text shows by these ids; they get ids of their own. */
    files: Type.Optional(Type.Array(Type.Object({ id: Id, path: ImportPath }), { maxItems: 100 })),
    recommend: Type.Optional(Flag()),
    hits: Type.Optional(Int(0, MAX_ID)),
    created_at: ImportTime,
    updated_at: ImportTime,
    published_at: ImportTime,
  }),
  comment: Type.Object({
    kind: Kind,
    id: Type.Optional(ExternalId),
    news: ExternalId,
    user: Text(100),
    reply: Type.Optional(Text(100)),
    body: Text(255, { minLength: 1 }),
    created_at: ImportTime,
  }),
}

export type CategoryLine = Static<typeof NEWS_FORMS.category>
export type TagLine = Static<typeof NEWS_FORMS.tag>
export type ArticleLine = Static<typeof NEWS_FORMS.article>
export type CommentLine = Static<typeof NEWS_FORMS.comment>
