import { MAX_AMOUNT } from '#lib/money.ts'
import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { LikeWithUser } from '#modules/likes/index.ts'
import { RewardSum } from '#modules/rewards/index.ts'
import {
  Id,
  IdList,
  Int,
  MAX_ID,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/schema.ts'

export const FeedParams = Type.Object({ feed: Id })

/** A picture of a feed; `file` is the file id. */
const FeedImage = Shared('FeedImage', {
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
const FeedPrice = Shared('FeedPrice', {
  paid: Type.Boolean(),
  node: Type.Integer(),
  amount: Type.Integer(),
})

const FeedVideo = Shared('FeedVideo', {
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

/** A feed as lists show it (feeds-7). */
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
  topics: Type.Array(Shared('TopicName', { id: Type.Integer(), name: Type.String() })),
  images: Type.Array(FeedImage),
  video: Nullable(FeedVideo),
  paid_node: Nullable(FeedPrice),
  comments: Type.Array(PreviewComment),
})
export type FeedView = Static<typeof FeedView>

/** A feed on its own: with the people who liked it last. */
export const FeedDetail = Shared('FeedDetail', {
  ...FeedView.properties,
  likes: Type.Array(LikeWithUser),
  reward: RewardSum,
})
export type FeedDetail = Static<typeof FeedDetail>

/** The client's own mark of a post: an integer, or a text. `5` and `"5"` are the same mark. */
const FeedMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_ID,
  minLength: 1,
  maxLength: 64,
})

/** Ids as a list of integers, a comma list, or a list of objects with `id`. */
const TopicIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(5),
  items: Type.Union([Id, Shared('FeedTopicReference', { id: Id })]),
})

/** A picture, and what seeing it clearly or fetching its original costs. */
const NewFeedImage = Shared('NewFeedImage', {
  id: Id,
  amount: Type.Optional(Int(0, MAX_AMOUNT)),
  type: Type.Optional(OneOf(['read', 'download'] as const)),
})

/** What a feed is made of. */
export const NewFeed = Shared('NewFeed', {
  feed_content: Type.Optional(Text(10_000)),
  feed_from: Int(1, 5, { description: '1 web, 2 mobile web, 3 iOS, 4 Android, 5 other' }),
  feed_mark: FeedMark,
  feed_latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  feed_longtitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  feed_geohash: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9A-Za-z]+$' })),
  amount: Type.Optional(Int(0, MAX_AMOUNT, { description: 'What reading it costs; 0: nothing' })),
  images: Type.Optional(Type.Array(NewFeedImage, { maxItems: 20 })),
  video: Type.Optional(Shared('NewFeedVideo', { video_id: Id, cover_id: Id })),
  topics: Type.Optional(TopicIds),
  repostable_type: Type.Optional(Text(32)),
  repostable_id: Type.Optional(Id),
})
export type NewFeed = Static<typeof NewFeed>

/** The same with the kinds of content that a feed may repost (feeds-8). */
export const newFeedOf = (repostable: readonly string[]) =>
  Shared('NewFeed', { ...NewFeed.properties, repostable_type: Type.Optional(OneOf(repostable)) })
