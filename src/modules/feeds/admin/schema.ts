import { listingQuery } from '#platform/listing.ts'
import { Flag, Id, Shared, type Static, Type } from '#platform/schema.ts'

export const FeedCommentParams = Type.Object({ feed: Id, comment: Id })

/** `q` is a part of the text. Deleted feeds are listed on their own. */
export const FeedQuery = Type.Object({
  ...listingQuery(['id']),
  deleted: Type.Optional(Flag()),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
})
export type FeedQuery = Static<typeof FeedQuery>

/** Whether a feed is deleted. */
export const FeedDeletion = Shared('FeedDeletion', { deleted: Flag() })
