import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchFeed = apiError(404, 'no_such_feed', 'There is no such feed.', '动态不存在或已被删除。')

export const notYourFeed = apiError(
  403,
  'not_your_feed',
  'Only its author may delete this feed.',
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
  'A place needs feed_latitude, feed_longtitude and feed_geohash together.',
  'feed_latitude、feed_longtitude 和 feed_geohash 必须同时提供。',
)

export const repostIncomplete = fieldError(
  'repostable_id',
  'repost_incomplete',
  'A repost needs repostable_type and repostable_id together.',
  'repostable_type 和 repostable_id 必须同时提供。',
)

export const nothingToRepost = fieldError(
  'repostable_id',
  'nothing_to_repost',
  'What is to be reposted does not exist.',
  '转发的内容不存在。',
)

export const fileTwice = fieldError(
  'images',
  'file_used_twice',
  'A file can be used only once.',
  '同一文件只能使用一次。',
)

export const unpaidFeed = apiError(
  403,
  'feed_not_paid',
  'This feed has to be paid for first.',
  '请先购买该动态。',
)
