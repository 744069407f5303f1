import { apiError, invalidField } from '#platform/errors.ts'

export const noSuchFeed = apiError(404, 'no_such_feed', 'There is no such feed.', '动态不存在或已被删除。')

export const notYourFeed = apiError(
  403,
  'not_your_feed',
  'Only its author may delete this feed.',
  '只有作者可以删除这条动态。',
)

export const contentRequired = () =>
  invalidField(
    'feed_content',
    { en: 'A feed needs text, pictures or a video.', zh: '动态内容、图片和视频不能同时为空。' },
    'feed_content_required',
  )

export const placeIncomplete = () =>
  invalidField(
    'feed_geohash',
    {
      en: 'A place needs feed_latitude, feed_longtitude and feed_geohash together.',
      zh: 'feed_latitude、feed_longtitude 和 feed_geohash 必须同时提供。',
    },
    'feed_place_incomplete',
  )

export const repostIncomplete = () =>
  invalidField(
    'repostable_id',
    {
      en: 'A repost needs repostable_type and repostable_id together.',
      zh: 'repostable_type 和 repostable_id 必须同时提供。',
    },
    'repost_incomplete',
  )

export const nothingToRepost = () =>
  invalidField(
    'repostable_id',
    { en: 'What is to be reposted does not exist.', zh: '转发的内容不存在。' },
    'nothing_to_repost',
  )

export const fileTwice = (field: string) =>
  invalidField(
    field,
    { en: 'A file can be used only once.', zh: '同一文件只能使用一次。' },
    'file_used_twice',
  )

export const unpaidFeed = apiError(
  403,
  'feed_not_paid',
  'This feed has to be paid for first.',
  '请先购买该动态。',
)
