import type { Searchable } from '#platform/search.ts'
import { FeedView } from './schema.ts'
import { listFeeds } from './timelines/service.ts'

/** Feeds by a part of their text, without those of people whom the viewer blocks. */
export const feedSearch: Searchable = {
  type: 'feeds',
  item: FeedView,
  find: (ctx, { q, after, limit, viewerId }) => listFeeds(ctx, viewerId, { search: q, after, limit }),
}
