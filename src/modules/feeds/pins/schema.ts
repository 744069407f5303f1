import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { pinFields } from '#modules/pinning/index.ts'
import { Nullable, Type } from '#platform/schema.ts'
import { FeedView } from '../schema.ts'

/** A request that is addressed to me (R §4.6); feed, comment and user are null when they are gone. */
export const CommentPin = Type.Object({
  ...pinFields,
  raw: Type.Integer({ description: 'The feed' }),
  target: Type.Integer({ description: 'The comment' }),
  feed: Nullable(FeedView),
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

/** What a day costs on average. */
export const Average = Type.Object({ feed: Type.Integer(), feed_comment: Type.Integer() })
