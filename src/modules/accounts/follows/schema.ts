import { Id, Limit, Offset, Text, Type } from '#platform/schema.ts'

/** Whom somebody follows. */
export const TargetParams = Type.Object({ target: Id })

/** Pages of relations: a row offset, as existing clients send it. */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset })

/** A page of mutual friends with a part of their name. */
export const MutualQuery = Type.Object({ ...RelationQuery.properties, keyword: Type.Optional(Text(100)) })
