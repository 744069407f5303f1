import { UserView } from '#modules/accounts/index.ts'
import { FileView } from '#modules/files/index.ts'
import {
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  ZuluTime,
} from '#platform/schema.ts'
import { Group } from '../circles/schema.ts'

export const PostParams = Type.Object({ post: Id })
export const GroupPostParams = Type.Object({ group: Id, post: Id })

/** A post in lists (R §20.3), without its text. */
export const PostItem = Shared('PostItem', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  summary: Type.String(),
  likes_count: Type.Integer(),
  comments_count: Type.Integer(),
  collections_count: Type.Integer(),
  views_count: Type.Integer(),
  reward_amount: Type.Integer(),
  reward_number: Type.Integer(),
  excellent_at: Nullable(ZuluTime),
  liked: Type.Boolean(),
  collected: Type.Boolean(),
  images: Type.Array(FileView),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  group: Nullable(Group),
})
export type PostItem = Static<typeof PostItem>

/** A post by itself. */
export const Post = Type.Object({ ...PostItem.properties, body: Type.String() })
export type Post = Static<typeof Post>

/** A post where another thing only points to it. */
export const SimplePost = Type.Object({
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  summary: Type.String(),
  image: Nullable(FileView),
})

export const PinnedAndPosts = Type.Object({ pinneds: Type.Array(PostItem), posts: Type.Array(PostItem) })

export const GroupPostsQuery = Type.Object({
  type: Type.Optional(OneOf(['latest_post', 'latest_reply'] as const, { default: 'latest_post' })),
  excellent: Type.Optional(Flag()),
  limit: Limit(),
  offset: Offset,
})
export type GroupPostsQuery = Static<typeof GroupPostsQuery>

export const PostsQuery = Type.Object({
  keyword: Type.Optional(Text(100)),
  group_id: Type.Optional(Id),
  limit: Limit(),
  offset: Offset,
})
export type PostsQuery = Static<typeof PostsQuery>

/** 1: mine, 2: mine that are pinned, 3: mine whose pin waits. */
export const MyPostsQuery = Type.Object({
  type: Type.Optional(Int(1, 3, { default: 1 })),
  limit: Limit(),
  offset: Offset,
})
export const CollectedQuery = Type.Object({ limit: Limit(), offset: Offset })
export const SimplePostsQuery = Type.Object({ id: IdList() })

/** Uploads as ids, or as objects with `id`. */
const Images = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(20),
  items: Type.Union([Id, Type.Object({ id: Id })]),
})

/** `summary` has to be there and may be empty, but then `images` may not (R §20.2.2). */
export const NewPost = Type.Object({
  title: Text(100, { minLength: 1 }),
  body: Text(50_000, { minLength: 1 }),
  summary: Text(1000, { 'x-empty': true }),
  images: Type.Optional(Images),
  sync_feed: Type.Optional(Flag()),
  feed_from: Type.Optional(Int(1, 5)),
})
export type NewPost = Static<typeof NewPost>

export const PostMade = Type.Object({ message: Type.Array(Type.String()), post: Post })
