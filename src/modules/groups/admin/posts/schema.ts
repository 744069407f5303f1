import { listingQuery } from '#platform/listing.ts'
import { Id, Shared, type Static, Type } from '#platform/schema.ts'
import { PostItem } from '../../posts/schema.ts'

export const PostQuery = Type.Object({
  ...listingQuery(['id']),
  group_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type PostQuery = Static<typeof PostQuery>

/** A post as administrators see it, with its text. */
export const PostRecord = Shared('GroupPostRecord', { ...PostItem.properties, body: Type.String() })

export const CommentParams = Type.Object({ post: Id, comment: Id })
