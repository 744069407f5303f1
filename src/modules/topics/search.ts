import type { Searchable } from '#platform/search.ts'
import { listTopics } from './queries.ts'
import { TopicItem } from './schema.ts'
import { topicItem } from './view.ts'

/** Topics that passed, by a part of their name. */
export const topicSearch: Searchable = {
  type: 'feed-topics',
  item: TopicItem,
  async find(ctx, { q, after, limit, viewerId }) {
    const rows = await listTopics(ctx.sql, viewerId, { q, limit, index: after, direction: 'desc' })
    return rows.map((row) => topicItem(ctx, row, { id: viewerId }))
  },
}
