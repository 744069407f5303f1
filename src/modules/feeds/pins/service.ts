import { findComment } from '#modules/comments/index.ts'
import {
  cancelPinOfTarget,
  cancelPinsOfContent,
  findShownPins,
  type PinOptions,
} from '#modules/pinning/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { FEED_COMMENT, findTarget } from '../queries.ts'
import { liveComment } from './queries.ts'

const FEED = 'feed'

/** Pins of feeds, which an administrator decides on. */
export const feedPins: PinOptions = {
  channel: FEED,
  tag: 'Feeds',
  path: '/feeds/:feed/currency-pinneds',
  async find(sql, { feed = 0 }) {
    const target = await findTarget(sql, feed)
    return target && { contentId: feed, targetId: feed, authorId: target.ownerId, deciderId: 0 }
  },
  alive: (sql, { targetId }) => sql`select id from feeds where id = ${targetId} and deleted_at is null`,
  notice: async (_sql, { target_id: id }) => ({
    type: 'pinned:feeds',
    feed: { id },
    resource: { type: 'feeds', id },
  }),
}

/** Pins of comments, which the author of the feed decides on. */
export const commentPins: PinOptions = {
  channel: FEED_COMMENT,
  tag: 'Feeds',
  path: '/feeds/:feed/comments/:comment/currency-pinneds',
  async find(sql, { feed = 0, comment = 0 }) {
    const [target, found] = await Promise.all([
      findTarget(sql, feed),
      findComment(sql, 'feeds', feed, comment),
    ])
    if (!target || !found) return undefined
    return { contentId: feed, targetId: comment, authorId: found.user_id, deciderId: target.ownerId }
  },
  alive: (sql, { contentId, targetId }) => liveComment(sql, contentId, targetId),
  async notice(sql, { thing_id: feed, target_id: id }) {
    const comment = await findComment(sql, 'feeds', feed, id)
    return {
      type: 'pinned:feed/comment',
      comment: { id, contents: comment?.body ?? '' },
      feed: { id: feed },
      resource: { type: 'comments', id },
    }
  },
}

/** Cancels and gives back what waits on a feed that is being deleted, and on its comments (R §4.5). */
export const cancelPinsOfFeed = (tx: Tx, feedId: number) =>
  cancelPinsOfContent(tx, [FEED, FEED_COMMENT], feedId)

/** The same for a comment that is being deleted. */
export const cancelPinOfComment = (tx: Tx, commentId: number) =>
  cancelPinOfTarget(tx, FEED_COMMENT, commentId)

/** The comments pinned under a feed, dearest first. */
export const pinnedComments = async (sql: Db, feedId: number): Promise<number[]> =>
  (await findShownPins(sql, FEED_COMMENT, [feedId])).get(feedId) ?? []
