import { UserView } from '#modules/users/index.ts'
import { invalidField } from '#platform/errors.ts'
import {
  Cursor,
  Direction,
  Id,
  IdList,
  Int,
  Limit,
  listingQuery,
  MAX_ID,
  MemberText,
  Nullable,
  OneOf,
  OpenObject,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
  ZuluTime,
} from '#platform/http'

export const unknownPerson = () =>
  invalidField('reply_user', { en: 'This user does not exist.', zh: '被回复的用户不存在。' })

export const sentTwice = () =>
  invalidField('comment_mark', {
    en: 'This comment was already sent.',
    zh: '评论已发送，请勿重复提交。',
  })

export const typeMissing = () =>
  invalidField('resourceable_type', {
    en: 'The resourceable_type field is required with resourceable_id.',
    zh: '填写评论对象（resourceable_id）时，评论对象类型（resourceable_type）不能为空。',
  })

export const Comment = Shared('Comment', {
  id: Type.Integer(),
  commentable_type: Type.String(),
  commentable_id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer({ description: 'Author of the commented content; 0 for music' }),
  reply_user: Type.Integer({ description: 'User to whom the comment replies; 0 for none' }),
  ...MemberText('body', { of: 'comments', format: 'plain' }, Type.String()),
  created_at: Time,
  updated_at: Time,
})
export type Comment = Static<typeof Comment>

/**
 * Comment with its users. `user` and `reply` are null for disabled accounts (conventions-25). `reply` is also null
 * if the comment replies to no user.
 */
export const CommentWithPeople = Shared('CommentWithPeople', {
  ...Comment.properties,
  user: Nullable(UserView),
  reply: Nullable(UserView),
})
export type CommentWithPeople = Static<typeof CommentWithPeople>

export const NewComment = Shared('NewComment', {
  body: Text(255, { minLength: 1 }),
  reply_user: Type.Optional(Int(0, MAX_ID)),
  // Accepts numbers above `Number.MAX_SAFE_INTEGER`, because clients concatenate their user id and a timestamp.
  comment_mark: Type.Optional(
    Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, minimum: 0, maximum: 1e20 }),
  ),
})
export type NewComment = Static<typeof NewComment>

export const CommentMade = Shared('CommentMade', { message: Type.Array(Type.String()), comment: Comment })

/** `pinneds` is empty after the first page. */
export const CommentPage = Shared('CommentPage', {
  pinneds: Type.Array(CommentWithPeople),
  comments: Type.Array(CommentWithPeople),
})

export const CommentSearch = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: WithAlias('index', Cursor),
  direction: Direction,
  author: Type.Optional(Id),
  for_user: Type.Optional(Id),
  for_type: Type.Optional(OneOf(['all', 'target', 'reply'] as const, { default: 'all' })),
  id: Type.Optional(IdList()),
  resourceable_type: Type.Optional(Text(50)),
  resourceable_id: Type.Optional(IdList()),
})
export type CommentSearch = Static<typeof CommentSearch>

export const FoundComment = Shared('FoundComment', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  reply_user: Type.Integer(),
  ...MemberText('body', { of: 'comments', format: 'plain' }, Type.String()),
  resourceable: Shared('ContentReference', { type: Type.String(), id: Type.Integer() }),
  created_at: ZuluTime,
})

export const ReceivedCommentsQuery = Type.Object({ limit: Limit(), after: Cursor })

/** Received comment. `commentable` is null when the content is deleted or hidden from the viewer. */
export const ReceivedComment = Shared('ReceivedComment', {
  ...CommentWithPeople.properties,
  target: Nullable(UserView),
  commentable: Nullable(OpenObject),
})

export const CommentSearchOfContent = Type.Object({ ...listingQuery(['id']), user_id: Type.Optional(Id) })
export type CommentSearchOfContent = Static<typeof CommentSearchOfContent>
