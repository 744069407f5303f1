import { Cursor, Id, Limit, Offset, SameAs, Text, Type } from '#platform/schema.ts'

/** Whom somebody follows. */
export const TargetParams = Type.Object({ target: Id })

/** Pages of relations: after somebody, or a row offset as existing clients send it. */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

/** A page of mutual friends with a part of their name. */
export const MutualQuery = Type.Object({
  ...RelationQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: SameAs('keyword', Type.Optional(Text(100))),
})
