import type { Db } from '#platform/database.ts'

/** The channel of pins of comments under articles. */
export const NEWS_COMMENT = 'news:comment'

/** The articles pinned now, dearest first, without those of people the viewer blocks. */
export const listPinnedNews = (
  sql: Db,
  { categoryId, viewerId, limit }: { categoryId: number | undefined; viewerId: number; limit: number },
) => sql<{ id: number }[]>`
  select n.id from pins p join news n on n.id = p.target_id
  where p.channel = 'news' and p.state = 'active' and p.expires_at > now() and n.audit_status = 0
    ${categoryId === undefined ? sql`` : sql`and n.category_id = ${categoryId}`}
    ${
      viewerId === 0
        ? sql``
        : sql`and n.user_id <> all(array(select target_id from user_blocks where user_id = ${viewerId}))`
    }
  order by p.amount desc, p.created_at desc, p.id desc limit ${limit}`

/** A comment of a published article. */
export const liveNewsComment = (sql: Db, newsId: number, commentId: number) => sql`
  select c.id from comments c join news n on n.id = c.commentable_id
  where c.commentable_type = 'news' and c.commentable_id = ${newsId} and c.id = ${commentId} and n.audit_status = 0`
