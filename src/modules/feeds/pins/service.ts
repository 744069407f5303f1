import { findComment, liveComment } from '#modules/comments/index.ts'
import { pinsOfComments, pinsOfContent } from '#modules/pinning/index.ts'
import { feedContent } from '../content.ts'
import { FEED_COMMENT, FEED_PIN } from '../queries.ts'

/** Pins of feeds, which an administrator decides on. */
export const feedPins = pinsOfContent(feedContent, { channel: FEED_PIN, noticeOf: () => 'pinned:feeds' })

/** Pins of comments, which the author of the feed decides on. */
export const feedCommentPins = pinsOfComments(
  feedContent,
  { find: findComment, live: liveComment },
  { channel: FEED_COMMENT, notice: 'pinned:feed/comment' },
)
