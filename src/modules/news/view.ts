import { LRUCache } from 'lru-cache'
import type { Content, ContentReader } from '#contracts/content.ts'
import { plainText } from '#lib/markup/parse.ts'
import { wireTime } from '#lib/time.ts'
import type { UserView } from '#modules/users/index.ts'
import { type Context, defineState } from '#platform/context.ts'
import {
  findPublished,
  findTarget,
  findVisible,
  hitsOf,
  liveNews,
  type NewsDetailRow,
  type NewsRow,
} from './queries.ts'
import type { NewsDetail, NewsItem } from './schema.ts'

const newsItem = (row: NewsRow, pendingHits: number): NewsItem => ({
  id: row.id,
  title: row.title,
  subject: row.subject,
  from: row.from,
  author: row.author,
  user_id: row.user_id,
  category: { id: row.category_id, name: row.category_name, rank: row.category_rank },
  image: row.image === null ? null : { id: row.image, size: row.image_size },
  is_recommend: row.recommended ? 1 : 0,
  digg_count: row.digg_count,
  comment_count: row.comment_count,
  hits: row.hits + pendingHits,
  contribute_amount: row.contribute_amount,
  audit_status: row.audit_status,
  audit_count: row.audit_count,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  has_collect: row.has_collect,
  has_like: row.has_like,
})

const plainTextsOf = defineState(
  () =>
    new LRUCache<string, string>({
      maxSize: 8 * 1024 * 1024,
      // JavaScript strings take up to two bytes a character.
      sizeCalculation: (text, content) => 2 * (text.length + content.length) + 200,
    }),
)

/** Returns the text of an article without Markdown. Keeps it in memory, because parsing takes long. */
function plainTextOf(ctx: Context, content: string): string {
  const texts = plainTextsOf(ctx)
  const cached = texts.get(content)
  if (cached !== undefined) return cached
  const text = plainText(content, content.length)
  texts.set(content, text)
  return text
}

export const newsDetail = (
  ctx: Context,
  row: NewsDetailRow,
  more: {
    user: UserView | null
    pinned: boolean
    reward: NewsDetail['reward'] | undefined
  },
): NewsDetail => ({
  ...newsItem(row, hitsOf(ctx).pending(row.id)),
  content: row.content,
  text_content: plainTextOf(ctx, row.content),
  tags: row.tags,
  user: more.user,
  is_pinned: more.pinned,
  reward: more.reward ?? { count: 0, amount: null },
})

export function newsItems(ctx: Context, rows: NewsRow[]): NewsItem[] {
  const hits = hitsOf(ctx)
  return rows.map((row) => newsItem(row, hits.pending(row.id)))
}

export async function newsByIds(ctx: Context, ids: number[], viewerId: number): Promise<NewsItem[]> {
  if (ids.length === 0) return []
  const rows = await findPublished(ctx.sql, ids, viewerId)
  const items = new Map(newsItems(ctx, rows).map((item) => [item.id, item]))
  return ids.flatMap((id) => items.get(id) ?? [])
}

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

export const newsReader: ContentReader = {
  async visible(sql, ids, viewerId) {
    return new Set((await findVisible(sql, ids, viewerId)).map(({ id }) => id))
  },
  async views(ctx, ids, viewerId) {
    return new Map((await newsByIds(ctx, ids, viewerId)).map((item) => [item.id, item]))
  },
  author: async (sql, id) => (await findTarget(sql, id))?.user_id,
}
