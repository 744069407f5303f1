import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Amount } from '#modules/ledger/index.ts'
import { Days } from '#modules/pinning/index.ts'
import { Cursor, Id, Limit, Nullable, RawText, type Static, Time, Type } from '#platform/schema.ts'
import { PostItem } from '../posts/schema.ts'

export const POST_PIN = 'group-post'
export const COMMENT_PIN = 'group-post:comment'

/** `amount`: points for all days together; not asked of who decides themselves. */
export const PinRequest = Type.Object({
  amount: Type.Optional(Amount),
  day: Days,
  password: Type.Optional(RawText(128)),
})
export const FreePin = Type.Object({ day: Days })

export const PostPinsQuery = Type.Object({ group: Type.Optional(Id), after: Cursor, limit: Limit() })
export const CommentPinsQuery = Type.Object({ post: Type.Optional(Id), after: Cursor, limit: Limit() })

/** A request that is addressed to me (R §20.1); what is gone is null. */
export const GroupPin = Type.Object({
  id: Type.Integer(),
  channel: Type.String({ description: 'post or comment' }),
  raw: Type.Integer({ description: 'The post of a comment; 0 for a post' }),
  target: Type.Integer({ description: 'The post or the comment' }),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  amount: Type.Integer(),
  day: Type.Integer(),
  status: Type.Integer({ description: '0 waits, 1 accepted, 2 rejected or taken back' }),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupPin = Static<typeof GroupPin>
