import { findComment } from '#modules/comments/index.ts'
import {
  cancelPinOfTarget,
  cancelPinsOfContent,
  findShownPins,
  type PinOptions,
} from '#modules/pinning/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { findTarget, liveNews } from '../queries.ts'
import { liveNewsComment, NEWS_COMMENT } from './queries.ts'

const NEWS = 'news'

/** Pins of articles, which an administrator decides on. */
export const newsPins: PinOptions = {
  channel: NEWS,
  tag: 'News',
  path: '/news/:news/currency-pinneds',
  async find(sql, { news = 0 }) {
    const target = await findTarget(sql, news)
    return target && { contentId: news, targetId: news, authorId: target.user_id, deciderId: 0 }
  },
  alive: (sql, { targetId }) => liveNews(sql, targetId),
  notice: async (_, { target_id: id, state }) => ({
    type: state === 'rejected' ? 'news:pinned:reject' : 'news:pinned:accept',
    news: { id },
    resource: { type: 'news', id },
  }),
}

/** Pins of comments, which the author of the article decides on. */
export const newsCommentPins: PinOptions = {
  channel: NEWS_COMMENT,
  tag: 'News',
  path: '/news/:news/comments/:comment/currency-pinneds',
  async find(sql, { news = 0, comment = 0 }) {
    const [target, found] = await Promise.all([
      findTarget(sql, news),
      findComment(sql, 'news', news, comment),
    ])
    if (!target || !found) return undefined
    return { contentId: news, targetId: comment, authorId: found.user_id, deciderId: target.user_id }
  },
  alive: (sql, { contentId, targetId }) => liveNewsComment(sql, contentId, targetId),
  async notice(sql, { thing_id: news, target_id: id }) {
    const comment = await findComment(sql, 'news', news, id)
    return {
      type: 'pinned:news/comment',
      comment: { id, contents: comment?.body ?? '' },
      news: { id: news },
      resource: { type: 'comments', id },
    }
  },
}

/** Cancels and gives back what waits on an article that goes away, and on its comments. */
export async function cancelPinsOfNews(tx: Tx, newsId: number): Promise<void> {
  await cancelPinsOfContent(tx, [NEWS, NEWS_COMMENT], newsId)
}

/** The same for a comment that is being deleted. */
export const cancelPinOfNewsComment = (tx: Tx, commentId: number) =>
  cancelPinOfTarget(tx, NEWS_COMMENT, commentId)

/** The comments pinned under an article, dearest first. */
export const pinnedNewsComments = async (sql: Db, newsId: number): Promise<number[]> =>
  (await findShownPins(sql, NEWS_COMMENT, [newsId])).get(newsId) ?? []

/** Whether an article is pinned now. */
export const isPinned = async (sql: Db, newsId: number): Promise<boolean> =>
  (await findShownPins(sql, NEWS, [newsId])).has(newsId)
