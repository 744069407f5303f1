import { CommentWithPeople } from '#modules/comments/index.ts'
import { FeedView } from '#modules/feeds/index.ts'
import { Listing } from '#platform/listing.ts'
import { Flag, Id, type Static, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const FeedParams = Type.Object({ feed: Id })
export const FeedCommentParams = Type.Object({ feed: Id, comment: Id })

/** Feeds as everybody sees them, those with `deleted_at` included. */
export const FeedListing = Listing(FeedView)

/** `q` is a part of the text. Deleted feeds are listed on their own. */
export const FeedQuery = Type.Object({
  ...listingQuery(['id']),
  deleted: Type.Optional(Flag()),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
})
export type FeedQuery = Static<typeof FeedQuery>

export const FeedPatch = Type.Object({ deleted: Flag() })

export const FeedCommentListing = Listing(CommentWithPeople)

export const FeedCommentQuery = Type.Object({ ...listingQuery(['id']), user_id: Type.Optional(Id) })
export type FeedCommentQuery = Static<typeof FeedCommentQuery>
