import { findComment, liveComment } from '#modules/comments/index.ts'
import { pinsOfComments, pinsOfContent } from '#modules/pinning/index.ts'
import { newsContent } from '../content.ts'
import { NEWS_COMMENT, NEWS_PIN } from '../schema.ts'

/** Pins of articles, which an administrator decides on. */
export const newsPins = pinsOfContent(newsContent, {
  channel: NEWS_PIN,
  noticeOf: ({ state }) => (state === 'rejected' ? 'news:pinned:reject' : 'news:pinned:accept'),
})

/** Pins of comments, which the author of the article decides on. */
export const newsCommentPins = pinsOfComments(
  newsContent,
  { find: findComment, live: liveComment },
  { channel: NEWS_COMMENT, notice: 'pinned:news/comment' },
)
