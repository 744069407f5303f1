import { UserView } from '#modules/accounts/index.ts'
import { listingQuery } from '#platform/listing.ts'
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
  SameAs,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  ZuluTime,
} from '#platform/schema.ts'

/** A comment (feeds-11). */
export const Comment = Shared('Comment', {
  id: Type.Integer(),
  commentable_type: Type.String(),
  commentable_id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer({ description: 'Who published the commented content; 0 for music' }),
  reply_user: Type.Integer({ description: 'Who is replied to; 0 for nobody' }),
  body: Type.String(),
  created_at: Time,
  updated_at: Time,
})
export type Comment = Static<typeof Comment>

/** A comment in a list, with its author and who is replied to; null for a disabled account (conventions-25). */
export const CommentWithPeople = Shared('CommentWithPeople', {
  ...Comment.properties,
  user: Nullable(UserView),
  reply: Nullable(UserView),
})
export type CommentWithPeople = Static<typeof CommentWithPeople>

/** What a comment is made of. `comment_mark`: the same within three seconds is refused, against double sending. */
export const NewComment = Shared('NewComment', {
  body: Text(255, { minLength: 1 }),
  reply_user: Type.Optional(Int(0, MAX_ID)),
  // Existing clients send a number of their own id and the time, which may have more digits than JSON integers hold.
  comment_mark: Type.Optional(
    Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, minimum: 0, maximum: 1e20 }),
  ),
})
export type NewComment = Static<typeof NewComment>

/** What writing a comment answers. */
export const CommentMade = Shared('CommentMade', { message: Type.Array(Type.String()), comment: Comment })

/** `pinneds` holds the pinned comments on the first page, and is empty on others. */
export const CommentPage = Shared('CommentPage', {
  pinneds: Type.Array(CommentWithPeople),
  comments: Type.Array(CommentWithPeople),
})

/** The filters of GET /comments (feeds-17). */
export const CommentSearch = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: SameAs('index', Cursor),
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
export const FoundComment = Shared('FoundComment', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  reply_user: Type.Integer(),
  body: Type.String(),
  resourceable: Shared('ContentReference', { type: Type.String(), id: Type.Integer() }),
  created_at: ZuluTime,
})

export const ReceivedCommentsQuery = Type.Object({ limit: Limit(), after: Cursor })

/** A comment that I received; `commentable` is null when the content is deleted or no longer mine to see. */
export const ReceivedComment = Shared('ReceivedComment', {
  ...CommentWithPeople.properties,
  target: Nullable(UserView),
  commentable: Nullable(Open),
})

/** How administrators search the comments on one piece of content. */
export const CommentSearchOfContent = Type.Object({ ...listingQuery(['id']), user_id: Type.Optional(Id) })
export type CommentSearchOfContent = Static<typeof CommentSearchOfContent>
