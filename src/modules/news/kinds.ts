import { countWaiting } from '#modules/pinning/index.ts'
import type { ContentKind } from '#platform/content.ts'
import { NEWS_COMMENT, newsCounters, newsReader, newsRemoval } from './index.ts'

/** Articles, as the rest of Kith knows them. */
export const NEWS_KINDS: ContentKind[] = [
  {
    type: 'news',
    code: 4,
    reader: newsReader,
    counters: newsCounters,
    removal: newsRemoval,
    files: { 'news:image': 'admin: news', 'news:content': 'admin: news' },
    repostable: true,
    pendingPins: {
      'news-comment-pinned': (sql, userId, since) => countWaiting(sql, NEWS_COMMENT, userId, since),
    },
  },
]
