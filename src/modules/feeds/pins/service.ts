import { findComment, lockableComment } from '#modules/comments/index.ts'
import { pinsOfComments, pinsOfContent } from '#modules/pinning/index.ts'
import { feedContent } from '../content.ts'
import { FEED_COMMENT, FEED_PIN } from '../queries.ts'

/** Pins of feeds. Administrators decide. */
export const feedPins = pinsOfContent(feedContent, { channel: FEED_PIN, noticeOf: () => 'pinned:feeds' })

/** Pins of comments. The author of the feed decides. */
export const feedCommentPins = pinsOfComments(
  feedContent,
  { find: findComment, live: lockableComment },
  { channel: FEED_COMMENT, notice: 'pinned:feed/comment' },
)
