import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Days, PinsQuery, pinFields } from '#modules/pinning/index.ts'
<<<<<<< HEAD
import { Id, Nullable, RawText, Shared, type Static, Type } from '#platform/schema.ts'
=======
import { Id, Nullable, Shared, type Static, Type } from '#platform/schema.ts'
>>>>>>> a28adff (Make one mechanism of pins, and describe pins, purchases and rewards)
import { PostItem } from '../posts/schema.ts'

export const POST_PIN = 'group-post'
export const COMMENT_PIN = 'group-post:comment'

<<<<<<< HEAD
/** `amount`: points for all days together; not asked of who decides themselves. */
export const PinRequest = Shared('GroupPinRequest', {
  amount: Type.Optional(Amount),
  day: Days,
  password: Type.Optional(RawText(128)),
})
/** How many days a pin that costs nothing lasts. */
export const FreePin = Shared('FreePin', { day: Days })
=======
/** For how long a manager pins a post. */
export const FreePin = Type.Object({ day: Days })
>>>>>>> a28adff (Make one mechanism of pins, and describe pins, purchases and rewards)

export const PostPinsQuery = Type.Object({ group: Type.Optional(Id), ...PinsQuery.properties })
export const CommentPinsQuery = Type.Object({ post: Type.Optional(Id), ...PinsQuery.properties })

<<<<<<< HEAD
/** A request that is addressed to me; what is gone is null. */
=======
/** A request that is addressed to me (pins-11); what is gone is null. */
>>>>>>> a28adff (Make one mechanism of pins, and describe pins, purchases and rewards)
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
