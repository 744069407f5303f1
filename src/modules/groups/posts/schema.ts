import { CommentWithPeople } from '#modules/comments/index.ts'
import { FileView } from '#modules/files/index.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import { UserView } from '#modules/users/index.ts'
import {
  Cursor,
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  MemberText,
  Nullable,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
  ZuluTime,
} from '#platform/http'
import { Group } from '../schema.ts'

export const PostParams = Type.Object({ post: Id })
export const GroupPostParams = Type.Object({ group: Id, post: Id })

export const POSTS = 'group-posts'

export const PostItem = Shared('GroupPostItem', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  summary: Type.String(),
  likes_count: Type.Integer(),
  comments_count: Type.Integer(),
  collections_count: Type.Integer(),
  views_count: Type.Integer(),
  reward_amount: Type.Integer(IN_POINTS),
  reward_number: Type.Integer(),
  excellent_at: Nullable(ZuluTime),
  liked: Type.Boolean(),
  collected: Type.Boolean(),
  images: Type.Array(FileView),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  group: Nullable(Group),
  comments: Type.Array(CommentWithPeople, { description: 'Newest comments' }),
})
export type PostItem = Static<typeof PostItem>

export const Post = Shared('GroupPost', {
  ...PostItem.properties,
  ...MemberText('body', { of: 'group-posts', format: 'markdown' }, Type.String()),
})
export type Post = Static<typeof Post>

export const SimplePost = Shared('GroupPostHeadline', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  summary: Type.String(),
  image: Nullable(FileView),
})

export const PinnedAndPosts = Shared('GroupPostPage', {
  pinneds: Type.Array(PostItem),
  posts: Type.Array(PostItem),
})

export const GroupPostsQuery = Type.Object({
  type: Type.Optional(OneOf(['latest_post', 'latest_reply'], { default: 'latest_post' })),
  excellent: Type.Optional(Flag()),
  limit: Limit(),
  offset: Offset,
  after: Cursor,
})
export type GroupPostsQuery = Static<typeof GroupPostsQuery>

export const PostsQuery = Type.Object({
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
  group_id: Type.Optional(Id),
  limit: Limit(),
  offset: Offset,
  after: Cursor,
})
export type PostsQuery = Static<typeof PostsQuery>

/** `type`: 1 lists the viewer's posts, 2 those with an accepted pin, 3 those with a pending pin. */
export const MyPostsQuery = Type.Object({
  type: Type.Optional(Int(1, 3, { default: 1 })),
  limit: Limit(),
  offset: Offset,
  after: Cursor,
})
export const CollectedPostsQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })
export const SimplePostsQuery = Type.Object({ id: IdList() })

const Images = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(20),
  items: Type.Union([Id, Shared('PictureReference', { id: Id })]),
})

/** `summary` is required, but may be empty when the post has `images` (groups-18). */
export const NewPost = Shared('NewGroupPost', {
  title: Text(100, { minLength: 1 }),
  body: Text(50_000, { minLength: 1 }),
  summary: Text(1000, { 'x-empty': true }),
  images: Type.Optional(Images),
  sync_feed: Type.Optional(Flag()),
  feed_from: Type.Optional(Int(1, 5)),
})
export type NewPost = Static<typeof NewPost>

export const PostMade = Shared('GroupPostMade', { message: Type.Array(Type.String()), post: Post })
