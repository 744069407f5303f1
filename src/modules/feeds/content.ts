import type { Content, ContentReader, Counts } from '#contracts/content.ts'
import { recordPeriodChange } from '#contracts/period-sums.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import type { CommentRules } from '#modules/comments/index.ts'
import { cancelPinOfTarget } from '#modules/pinning/index.ts'
import { listOpenTo } from '#modules/users/index.ts'
import {
  FEED_COMMENT,
  FEED_LIKES,
  FEEDS,
  findClosedFeeds,
  findLiveFeeds,
  findTarget,
  findVisibleFeeds,
  liveFeed,
} from './queries.ts'
import { feedViews } from './view.ts'

export const feedContent: Content = {
  type: FEEDS,
  param: 'feed',
  noun: 'Feed',
  tag: 'Feeds',
  find: findTarget,
  live: liveFeed,
}

export const feedReader: ContentReader = {
  visible: findVisibleFeeds,
  views: feedViews,
  live: findLiveFeeds,
  closedTo: findClosedFeeds,
  open: true,
  author: async (sql, id) => (await findTarget(sql, id, null))?.ownerId,
}

/** Updates the feed before its hot list row. The opposite order could deadlock with view flushes. */
export const countLikes: Counts = (sql) => [
  sql`
    update feeds f set like_count = greatest(f.like_count + c.by, 0) from changed c where f.id = c.id
    returning f.user_id, f.created_at as made_at, c.by`,
  sql`update feed_hots h set hot = h.hot + 5 * c.by from changed c where h.feed_id = c.id`,
  recordPeriodChange(sql, FEED_LIKES, sql`select user_id, made_at, by from content_count_0`),
]

const countComments: Counts = (sql) => [
  sql`update feeds f set feed_comment_count = greatest(f.feed_comment_count + c.by, 0) from changed c where f.id = c.id`,
  sql`update feed_hots h set hot = h.hot + 10 * c.by from changed c where h.feed_id = c.id`,
]

export const commentRules: CommentRules = {
  count: countComments,
  removalNotice: 'delete:feed/comment',
  readers: (sql, { ownerId }, ids) => listOpenTo(sql, ownerId, ids),
  onRemove: async (tx, comment) => {
    await cancelPinOfTarget(tx, FEED_COMMENT, comment.id)
  },
  mayModerate: (ctx, _target, viewerId) => hasAbility(ctx, viewerId, '[feed] Delete Comment'),
}
