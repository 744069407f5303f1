import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { pinFields } from '#modules/pinning/index.ts'
import { Nullable, Shared, Type } from '#platform/schema.ts'
import { FeedView } from '../schema.ts'

/** A request that is addressed to me (pins-8); feed, comment and user are null when they are gone. */
export const FeedCommentPin = Shared('FeedCommentPin', {
  ...pinFields,
  raw: Type.Integer({ description: 'The feed' }),
  target: Type.Integer({ description: 'The comment' }),
  feed: Nullable(FeedView),
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

/** What a day costs on average. */
export const FeedPinAverage = Shared('FeedPinAverage', {
  feed: Type.Integer(),
  feed_comment: Type.Integer(),
})
