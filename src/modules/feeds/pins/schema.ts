import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Cursor, Limit, Nullable, Time, Type } from '#platform/schema.ts'
import { FeedView } from '../schema.ts'

export const PinsQuery = Type.Object({ after: Cursor, limit: Limit() })

/** A request that is addressed to me (R §4.6); feed, comment and user are null when they are gone. */
export const CommentPin = Type.Object({
  id: Type.Integer(),
  channel: Type.String(),
  raw: Type.Integer({ description: 'The feed' }),
  target: Type.Integer({ description: 'The comment' }),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  amount: Type.Integer(),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  feed: Nullable(FeedView),
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

/** What a day costs on average. */
export const Average = Type.Object({ feed: Type.Integer(), feed_comment: Type.Integer() })
