import { hasAbility } from '#modules/abilities/index.ts'
import { type CommentRules, removeComment } from '#modules/comments/index.ts'
import { cancelPinOfTarget } from '#modules/pinning/index.ts'
import type { Content, Counts, Reader } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { noteChange } from '#platform/period-sums.ts'
import { noSuchFeed } from './errors.ts'
import { FEED_COMMENT, FEED_LIKES, FEEDS, findTarget, findVisibleFeeds, liveFeed } from './queries.ts'
import { feedViews } from './view.ts'

/** Feeds as what is commented on, liked, collected and reported. */
export const feedContent: Content = {
  type: FEEDS,
  param: 'feed',
  noun: 'Feed',
  tag: 'Feeds',
  find: findTarget,
  live: liveFeed,
}

/** How lists across all kinds of content read feeds. */
export const feedReader: Reader = { visible: findVisibleFeeds, views: feedViews, open: true }

/** Counts likes on the feed, in the hot list, whose row is written under the lock of the feed's, and for its author's rank. */
export const countLikes: Counts = (sql) => [
  sql`
    update feeds f set like_count = f.like_count + c.by from changed c where f.id = c.id
    returning f.user_id, f.created_at as made_at, c.by`,
  sql`update feed_hots h set hot = h.hot + 5 * c.by from changed c where h.feed_id = c.id`,
  noteChange(sql, FEED_LIKES, sql`select user_id, made_at, by from content_count_0`),
]

const countComments: Counts = (sql) => [
  sql`update feeds f set feed_comment_count = f.feed_comment_count + c.by from changed c where f.id = c.id`,
  sql`update feed_hots h set hot = h.hot + 10 * c.by from changed c where h.feed_id = c.id`,
]

/** Comments of feeds: their author deletes them, and who holds the ability. */
export const commentRules: CommentRules = {
  count: countComments,
  removalNotice: 'delete:feed/comment',
  onRemove: async (tx, comment) => {
    await cancelPinOfTarget(tx, FEED_COMMENT, comment.id)
  },
  mayModerate: (ctx, _target, viewerId) => hasAbility(ctx, viewerId, '[feed] Delete Comment'),
}

/** Deletes a comment of a feed as a moderator; `onRemove` is what else is done in the same transaction. */
export async function removeFeedComment(
  ctx: Context,
  feedId: number,
  commentId: number,
  moderatorId: number,
  onRemove: NonNullable<CommentRules['onRemove']>,
): Promise<void> {
  const target = await findTarget(ctx.sql, feedId)
  if (!target) throw noSuchFeed()
  const rules: CommentRules = {
    ...commentRules,
    mayModerate: async () => true,
    async onRemove(...removed) {
      await commentRules.onRemove?.(...removed)
      await onRemove(...removed)
    },
  }
  await removeComment(ctx, feedContent, rules, target, moderatorId, commentId)
}
