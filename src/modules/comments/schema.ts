import { UserView } from '#modules/accounts/index.ts'
import {
  Cursor,
  Direction,
  Id,
  IdList,
  Int,
  Limit,
  MAX_ID,
  Nullable,
  OneOf,
  Open,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  ZuluTime,
} from '#platform/schema.ts'

/** A comment (specification 2.2). */
export const Comment = Shared('Comment', {
  id: Type.Integer(),
  commentable_type: Type.String(),
  commentable_id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer({ description: 'Who published the commented thing; 0 for music' }),
  reply_user: Type.Integer({ description: 'Who is replied to; 0 for nobody' }),
  body: Type.String(),
  created_at: Time,
  updated_at: Time,
})
export type Comment = Static<typeof Comment>

/** A comment in a list, with its author and who is replied to; null for a disabled account (decisions §2). */
export const CommentWithPeople = Shared('CommentWithPeople', {
  ...Comment.properties,
  user: Nullable(UserView),
  reply: Nullable(UserView),
})
export type CommentWithPeople = Static<typeof CommentWithPeople>

/** What a comment is made of. `comment_mark`: the same within three seconds is refused, against double sending. */
export const CommentBody = Type.Object({
  body: Text(255, { minLength: 1 }),
  reply_user: Type.Optional(Int(0, MAX_ID)),
  // Existing clients send a number of their own id and the time, which may have more digits than JSON integers hold.
  comment_mark: Type.Optional(
    Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, minimum: 0, maximum: 1e20 }),
  ),
})
export type CommentBody = Static<typeof CommentBody>

export const CommentMade = Type.Object({ message: Type.Array(Type.String()), comment: Comment })

/** `pinneds` holds the pinned comments on the first page, and is empty on others. */
export const PinnedAndComments = Type.Object({
  pinneds: Type.Array(CommentWithPeople),
  comments: Type.Array(CommentWithPeople),
})

/** The filters of GET /comments (R §16). */
export const CommentSearch = Type.Object({
  limit: Limit(),
  index: Cursor,
  direction: Direction,
  author: Type.Optional(Id),
  for_user: Type.Optional(Id),
  for_type: Type.Optional(OneOf(['all', 'target', 'reply'] as const, { default: 'all' })),
  id: Type.Optional(IdList()),
  resourceable_type: Type.Optional(Text(50)),
  resourceable_id: Type.Optional(IdList()),
})
export type CommentSearch = Static<typeof CommentSearch>

/** A comment as GET /comments shows it. */
export const FoundComment = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  reply_user: Type.Integer(),
  body: Type.String(),
  resourceable: Type.Object({ type: Type.String(), id: Type.Integer() }),
  created_at: ZuluTime,
})

export const ReceivedQuery = Type.Object({ limit: Limit(), after: Cursor })

/** A comment that I received; `commentable` is null when the thing is deleted or no longer mine to see. */
export const ReceivedComment = Type.Object({
  ...CommentWithPeople.properties,
  target: Nullable(UserView),
  commentable: Nullable(Open),
})
