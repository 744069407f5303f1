import { Id, Limit, Offset, Text, Type } from '#platform/schema.ts'

export const TargetParams = Type.Object({ target: Id })

/** Pages of relations: a row offset, as existing clients send it (R §1.4). */
export const RelationQuery = Type.Object({ limit: Limit(), offset: Offset })

export const MutualQuery = Type.Object({ ...RelationQuery.properties, keyword: Type.Optional(Text(100)) })
