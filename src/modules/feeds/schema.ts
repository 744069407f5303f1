import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Id, Nullable, Shared, type Static, Time, Type } from '#platform/schema.ts'

export const FeedParams = Type.Object({ feed: Id })

/** A picture of a feed; `file` is the file id. */
export const FeedImage = Shared('FeedImage', {
  file: Type.Integer(),
  size: Nullable(Type.String({ description: 'width x height' })),
  mime: Type.String(),
  // There when it has a price.
  amount: Type.Optional(Type.Integer()),
  type: Type.Optional(Type.String({ description: 'What is paid for: read or download' })),
  paid: Type.Optional(Type.Boolean()),
  paid_node: Type.Optional(Type.Integer()),
})

/** What a feed costs: `node` is the payment node. */
export const FeedPrice = Shared('FeedPrice', {
  paid: Type.Boolean(),
  node: Type.Integer(),
  amount: Type.Integer(),
})

export const FeedVideo = Shared('FeedVideo', {
  video_id: Type.Integer(),
  cover_id: Type.Integer(),
  height: Nullable(Type.Integer()),
  width: Nullable(Type.Integer()),
})

/** A comment in the preview of a feed; `pinned` comes first and is only there when true. */
export const PreviewComment = Shared('PreviewComment', {
  ...CommentWithPeople.properties,
  pinned: Type.Optional(Type.Boolean()),
})
export type PreviewComment = Static<typeof PreviewComment>

/** A feed as lists show it (R §15.2). */
export const FeedView = Shared('Feed', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  feed_content: Nullable(Type.String()),
  feed_from: Type.Integer({ description: '1 web, 2 mobile web, 3 iOS, 4 Android, 5 other' }),
  like_count: Type.Integer(),
  feed_view_count: Type.Integer(),
  feed_comment_count: Type.Integer(),
  // Text, as existing clients know it.
  feed_latitude: Nullable(Type.String()),
  feed_longtitude: Nullable(Type.String()),
  feed_geohash: Nullable(Type.String()),
  audit_status: Type.Integer({ description: 'Always 1: feeds are published at once' }),
  feed_mark: Type.Unsafe<number | string>({ type: ['integer', 'string'] }),
  repostable_type: Nullable(Type.String()),
  repostable_id: Nullable(Type.Integer()),
  hot: Type.Integer({ description: 'views + 10 comments + 5 likes' }),
  created_at: Time,
  updated_at: Time,
  deleted_at: Nullable(Time),
  has_collect: Type.Boolean(),
  has_like: Type.Boolean(),
  user: Nullable(UserView),
  topics: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  images: Type.Array(FeedImage),
  video: Nullable(FeedVideo),
  paid_node: Nullable(FeedPrice),
  comments: Type.Array(PreviewComment),
})
export type FeedView = Static<typeof FeedView>
