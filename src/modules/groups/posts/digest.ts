import { type DigestPeriod, type DigestSource, digestTitle } from '#contracts/digest.ts'
import type { Context } from '#platform/context.ts'
import { listPostsOfMyGroups } from './queries.ts'
import { postItems } from './view.ts'

async function find(ctx: Context, { viewerId, since, limit }: DigestPeriod) {
  const rows = await listPostsOfMyGroups(ctx.sql, viewerId, since)
  const items = await postItems(ctx, rows, viewerId)
  const weightOf = (item: (typeof items)[number]) => item.likes_count + 2 * item.comments_count
  return items
    .filter((item) => item.user_id !== viewerId)
    .sort((a, b) => weightOf(b) - weightOf(a) || b.id - a.id)
    .slice(0, limit)
    .map((item) => ({
      type: 'group-posts',
      id: item.id,
      title: digestTitle(item.title),
      author: item.group?.name ?? item.user?.name ?? null,
    }))
}

export const postDigest: DigestSource = { heading: { en: 'From your groups', zh: '您的圈子' }, find }
