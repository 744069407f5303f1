import { findComment, lockableComment } from '#modules/comments/index.ts'
import { pinsOfComments, pinsOfContent } from '#modules/pinning/index.ts'
import { newsContent } from '../content.ts'
import { NEWS_COMMENT, NEWS_PIN } from '../schema.ts'

/** Pins of articles, decided by administrators. */
export const newsPins = pinsOfContent(newsContent, {
  channel: NEWS_PIN,
  noticeOf: ({ state }) => (state === 'rejected' ? 'news:pinned:reject' : 'news:pinned:accept'),
})

/** Pins of comments, decided by the author of the article. */
export const newsCommentPins = pinsOfComments(
  newsContent,
  { find: findComment, live: lockableComment },
  { channel: NEWS_COMMENT, notice: 'pinned:news/comment' },
)
