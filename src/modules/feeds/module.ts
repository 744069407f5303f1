import type { ContentKind } from '#contracts/content.ts'
import { updatePeriodSums } from '#contracts/period-sums.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import { viewsIn } from '#contracts/views.ts'
import { countWaiting, pinQueue } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminFeedPinRoutes, adminFeedRoutes } from './admin/routes.ts'
import { feedReader } from './content.ts'
import { feedCounters } from './index.ts'
import { feedPinRoutes } from './pins.ts'
import { commentPriceRoutes } from './prices.ts'
import { type Closing, withdrawPrivateFeeds } from './private.ts'
import { feedPost } from './publishing.ts'
import { FEED_COMMENT, FEED_PIN, FEED_VIEWS, liveFeeds } from './queries.ts'
import { feedLikes, feedRankRoutes, refreshHots } from './ranks.ts'
import { feedRoutes } from './routes.ts'
import { FeedView } from './schema.ts'

import { feedRemoval, transferRemainingLikes } from './service.ts'
import { FEED_SETTINGS } from './settings.ts'

import { feedDigest } from './timelines/digest.ts'
import { listFeeds } from './timelines/service.ts'

export const feedTasks = (ctx: Context): TaskList => ({
  refresh_hot_feeds: () => refreshHots(ctx),
  settle_feed_ranks: () => updatePeriodSums(ctx.sql, feedLikes),
  withdraw_private_feeds: (payload, { abortSignal }) =>
    withdrawPrivateFeeds(ctx, payload as Closing, abortSignal),
  transfer_feed_likes: (payload, { abortSignal }) =>
    transferRemainingLikes(ctx, payload as { id: number }, abortSignal),
})

export const feedSchedules: Schedule[] = [
  { task: 'refresh_hot_feeds', pattern: '23 * * * *' },
  { task: 'settle_feed_ranks', pattern: '*/5 * * * *' },
]

/** A user's feeds in the personal data export. Omits deleted feeds. */
export const feedPersonal = [
  personalTable({
    file: 'feeds',
    about: { en: 'Your feeds', zh: '您的动态' },
    table: 'feeds',
    with: ['feed_images', 'feed_videos', 'feed_topic_links'],
    key: ['id'],
    columns: [
      ...(['id', 'feed_content', 'feed_from', 'feed_latitude', 'feed_longtitude', 'feed_geohash'] as const),
      ...(['repostable_type', 'repostable_id', 'like_count', 'feed_comment_count'] as const),
      ...(['created_at', 'updated_at'] as const),
    ],
    only: (sql) => sql`and t.deleted_at is null`,
    extra: (sql) => sql`,
      t.feed_view_count + ${viewsIn(sql, FEED_VIEWS, sql`t.id`)} as feed_view_count,
      case when t.has_images then
        array(select i.file from feed_images i where i.feed_id = t.id order by i.position) else '{}' end as images,
      case when t.has_video then (
        select json_build_object('video_id', v.video_id, 'cover_id', v.cover_id, 'width', v.width, 'height', v.height)
        from feed_videos v where v.feed_id = t.id
      ) end as video,
      case when t.has_topics then
        array(select l.topic_id from feed_topic_links l where l.feed_id = t.id order by l.index) else '{}' end as topics`,
  }),
]

export const feedStatistics: Statistics = {
  queues: [pinQueue('feed', 'admin: feed pinneds')],
  series: [creationSeries('feeds', 'feeds', 'admin: feeds')],
}

export const feedSearch: Searchable = {
  type: 'feeds',
  item: FeedView,
  find: (ctx, { q, after, limit, viewerId }) =>
    listFeeds(ctx, viewerId, { search: q, after, limit }).then(({ feeds }) => feeds),
}

export const FEED_KINDS: ContentKind[] = [
  {
    type: 'feeds',
    code: 2,
    reader: feedReader,
    live: (sql) => sql`select f.id from feeds f where ${liveFeeds(sql)}`,
    pinChannel: FEED_PIN,
    counters: feedCounters,
    removal: feedRemoval,
    files: { 'feed:image': 'admin: feeds', 'feed:video': 'admin: feeds', 'feed:video:cover': 'admin: feeds' },
    repostable: true,
    pendingPins: {
      'feed-comment-pinned': (sql, userId, since) => countWaiting(sql, FEED_COMMENT, userId, since),
    },
  },
]

export const module: Module = {
  tags: {
    Feeds: { place: 18, about: 'Short posts with pictures, videos and topics.' },
    'Admin: feeds': { place: 33, about: 'Feeds and their comments.' },
  },
  settings: FEED_SETTINGS,
  routes: (site) => [
    feedRoutes(site.kinds),
    commentPriceRoutes,
    feedRankRoutes,
    feedPinRoutes,
    adminFeedPinRoutes,
    adminFeedRoutes,
  ],
  personalData: { place: 8, tables: feedPersonal },
  statistics: { place: 2, ...feedStatistics },
  search: { place: 2, ...feedSearch },
  digest: { place: 1, ...feedDigest },
  kinds: FEED_KINDS,
  tasks: () => [feedTasks],
  schedules: feedSchedules,
  offers: { copyToFeed: feedPost },
}
