import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Days, PinsQuery, pinFields } from '#modules/pinning/index.ts'
import { Id, Nullable, Shared, type Static, Type } from '#platform/schema.ts'
import { PostItem } from '../posts/schema.ts'

export const POST_PIN = 'group-post'
export const COMMENT_PIN = 'group-post:comment'

/** For how long a manager pins a post. */
export const FreePin = Shared('FreePin', { day: Days })

export const PostPinsQuery = Type.Object({ group: Type.Optional(Id), ...PinsQuery.properties })
export const CommentPinsQuery = Type.Object({ post: Type.Optional(Id), ...PinsQuery.properties })

/** A request that is addressed to me; what is gone is null. */
export const GroupPin = Shared('GroupPin', {
  ...pinFields,
  raw: Type.Integer({ description: 'The post of a comment; 0 for a post' }),
  target: Type.Integer({ description: 'The post or the comment' }),
  status: Type.Integer({ description: '0 waits, 1 accepted, 2 rejected or taken back' }),
  user: Nullable(UserView),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupPin = Static<typeof GroupPin>
