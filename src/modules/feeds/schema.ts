import { MAX_AMOUNT } from '#lib/money.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { IN_EITHER } from '#modules/ledger/index.ts'
import { LikeWithUser } from '#modules/likes/index.ts'
import { RewardSum } from '#modules/rewards/index.ts'
import { UserView } from '#modules/users/index.ts'
import { apiError, fieldError, unpaidError } from '#platform/errors.ts'
import {
  Id,
  IdList,
  Int,
  MAX_ID,
  MemberText,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const noSuchFeed = apiError(404, 'no_such_feed', 'This feed does not exist.', '动态不存在或已被删除。')

export const notYourFeed = apiError(
  403,
  'not_your_feed',
  'Only the author may delete this feed.',
  '只有作者可以删除这条动态。',
)

export const contentRequired = fieldError(
  'feed_content',
  'feed_content_required',
  'A feed needs text, pictures or a video.',
  '动态内容、图片和视频不能同时为空。',
)

export const placeIncomplete = fieldError(
  'feed_geohash',
  'feed_place_incomplete',
  'A location needs feed_latitude, feed_longtitude and feed_geohash together.',
  '动态纬度、动态经度和动态位置（feed_geohash）必须同时提供。',
)

export const repostIncomplete = fieldError(
  'repostable_id',
  'repost_incomplete',
  'A repost needs repostable_type and repostable_id together.',
  '转发类型和转发内容（repostable_id）必须同时提供。',
)

export const nothingToRepost = fieldError(
  'repostable_id',
  'nothing_to_repost',
  'The content to repost does not exist.',
  '转发的内容不存在。',
)

export const fileTwice = fieldError(
  'images',
  'file_used_twice',
  'A file can be used only once.',
  '同一文件只能使用一次。',
)

export const markReused = fieldError(
  'feed_mark',
  'feed_mark_reused',
  'This feed_mark belongs to an earlier feed with other content.',
  '该 feed_mark 已用于内容不同的动态。',
)

export const unpaidFeed = unpaidError(
  'feed_not_paid',
  'You must pay for this feed first.',
  '请先购买该动态。',
)

export const FeedParams = Type.Object({ feed: Id })

const FeedImage = Shared('FeedImage', {
  file: Type.Integer(),
  size: Nullable(Type.String({ description: 'width x height' })),
  mime: Type.String(),
  // This and the following fields are present only for a priced picture.
  amount: Type.Optional(Type.Integer(IN_EITHER)),
  type: Type.Optional(Type.String({ description: 'Paid action: read or download' })),
  paid: Type.Optional(Type.Boolean()),
  paid_node: Type.Optional(Type.Integer()),
})

const FeedPrice = Shared('FeedPrice', {
  paid: Type.Boolean(),
  node: Type.Integer(),
  amount: Type.Integer(IN_EITHER),
})

const FeedVideo = Shared('FeedVideo', {
  video_id: Type.Integer(),
  cover_id: Type.Integer(),
  height: Nullable(Type.Integer()),
  width: Nullable(Type.Integer()),
})

/** Previewed comment. Only pinned comments have `pinned`. */
export const PreviewComment = Shared('PreviewComment', {
  ...CommentWithPeople.properties,
  pinned: Type.Optional(Type.Boolean()),
})
export type PreviewComment = Static<typeof PreviewComment>

export const FeedView = Shared('Feed', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  ...MemberText('feed_content', { of: 'feeds', format: 'plain' }, Nullable(Type.String())),
  feed_from: Type.Integer({ description: '1 web, 2 mobile web, 3 iOS, 4 Android, 5 other' }),
  like_count: Type.Integer(),
  feed_view_count: Type.Integer(),
  feed_comment_count: Type.Integer(),
  // Coordinates are strings, because existing clients expect strings.
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
  muted_word: Nullable(Type.String({ description: 'Word for which the viewer wants to collapse the feed' })),
  topics: Type.Array(Shared('TopicName', { id: Type.Integer(), name: Type.String() })),
  images: Type.Array(FeedImage),
  video: Nullable(FeedVideo),
  paid_node: Nullable(FeedPrice),
  comments: Type.Array(PreviewComment),
})
export type FeedView = Static<typeof FeedView>

export const FeedDetail = Shared('FeedDetail', {
  ...FeedView.properties,
  likes: Type.Array(LikeWithUser),
  reward: RewardSum,
})
export type FeedDetail = Static<typeof FeedDetail>

/** Client's idempotency mark. `5` and `"5"` are equal. */
const FeedMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_ID,
  minLength: 1,
  maxLength: 64,
})

export const TOPICS_MAX = 5

const TopicIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(TOPICS_MAX),
  items: Type.Union([Id, Shared('FeedTopicReference', { id: Id })]),
})

const NewFeedImage = Shared('NewFeedImage', {
  id: Id,
  amount: Type.Optional(Int(0, MAX_AMOUNT, IN_EITHER)),
  type: Type.Optional(OneOf(['read', 'download'] as const)),
})

export const NewFeed = Shared('NewFeed', {
  feed_content: Type.Optional(Text(10_000)),
  feed_from: Int(1, 5, { description: '1 web, 2 mobile web, 3 iOS, 4 Android, 5 other' }),
  feed_mark: FeedMark,
  feed_latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  feed_longtitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  feed_geohash: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9A-Za-z]+$' })),
  amount: Type.Optional(
    Int(0, MAX_AMOUNT, { description: `Price to read the feed; 0 for free. ${IN_EITHER.description}` }),
  ),
  images: Type.Optional(Type.Array(NewFeedImage, { maxItems: 20 })),
  video: Type.Optional(Shared('NewFeedVideo', { video_id: Id, cover_id: Id })),
  topics: Type.Optional(TopicIds),
  repostable_type: Type.Optional(Text(32)),
  repostable_id: Type.Optional(Id),
})
export type NewFeed = Static<typeof NewFeed>

export const newFeedOf = (repostable: readonly string[]) =>
  Shared('NewFeed', { ...NewFeed.properties, repostable_type: Type.Optional(OneOf(repostable)) })
