import { countWaiting } from '#modules/pinning/index.ts'
import type { ContentKind } from '#platform/content.ts'
import { FEED_COMMENT, feedCounters, feedReader, feedRemoval } from './index.ts'

/** Feeds, as the rest of Kith knows them. */
export const FEED_KINDS: ContentKind[] = [
  {
    type: 'feeds',
    code: 2,
    reader: feedReader,
    counters: feedCounters,
    removal: feedRemoval,
    files: { 'feed:image': 'admin: feeds', 'feed:video': 'admin: feeds', 'feed:video:cover': 'admin: feeds' },
    repostable: true,
    pendingPins: {
      'feed-comment-pinned': (sql, userId, since) => countWaiting(sql, FEED_COMMENT, userId, since),
    },
  },
]
