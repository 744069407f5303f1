import type { Content, ContentReader } from '#contracts/content.ts'
import { findTarget, findVisible, liveNews } from './queries.ts'
import { newsByIds } from './view.ts'

/** Published articles as content with comments, likes, collections, rewards and reports. */
export const newsContent: Content = {
  type: 'news',
  param: 'news',
  noun: 'Article',
  tag: 'News',
  async find(sql, id) {
    const row = await findTarget(sql, id)
    return row && { id, ownerId: row.user_id, contents: row.title }
  },
  live: liveNews,
}

/** Loads articles for lists of mixed kinds. */
export const newsReader: ContentReader = {
  async visible(sql, ids, viewerId) {
    return new Set((await findVisible(sql, ids, viewerId)).map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    return new Map((await newsByIds(ctx, ids, viewerId)).map((item) => [item.id, item]))
  },
}
