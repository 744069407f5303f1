import { CommentWithPeople } from '#modules/comments/index.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import { Days, numberedPinFields, PinsQuery } from '#modules/pinning/index.ts'
import { UserView } from '#modules/users/index.ts'
import { FilterId, Nullable, Shared, type Static, Type } from '#platform/http'
import { PostItem } from '../posts/schema.ts'

export const POST_PIN = 'group-post'
export const COMMENT_PIN = 'group-post:comment'

export const GroupPinAverage = Shared('GroupPinAverage', {
  post: Type.Integer(IN_POINTS),
  post_comment: Type.Integer(IN_POINTS),
})

export const FreePin = Shared('FreePin', { day: Days })

export const PostPinsQuery = Type.Object({ group: FilterId, ...PinsQuery.properties })
export const CommentPinsQuery = Type.Object({ post: FilterId, ...PinsQuery.properties })

export const GroupPin = Shared('GroupPin', {
  ...numberedPinFields,
  raw: Type.Integer({ description: 'Id of the post of a comment; 0 for a post' }),
  target: Type.Integer({ description: 'Id of the post or of the comment' }),
  status: Type.Integer({ description: 'Same as `state`' }),
  user: Nullable(UserView),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupPin = Static<typeof GroupPin>
