import { type DigestPeriod, type DigestSource, digestTitle } from '#contracts/digest.ts'
import type { Context } from '#platform/context.ts'
import type { FeedRow } from '../queries.ts'
import { feedItems } from '../view.ts'
import { listFollowedFeeds } from './followed.ts'
import { listFeedsOfFollowedTopics } from './queries.ts'

/** Newest feeds of each list, from which the mail shows those with the most likes and comments. */
const SCANNED = 50

async function find(ctx: Context, { viewerId, since, limit }: DigestPeriod) {
  const page = { viewerId, after: 0, limit: SCANNED }
  const [ofPeople, ofTopics] = await Promise.all([
    listFollowedFeeds(ctx, page),
    listFeedsOfFollowedTopics(ctx.sql, page),
  ])
  const rows: FeedRow[] = [...new Map([...ofPeople, ...ofTopics].map((row) => [row.id, row])).values()]
  const items = await feedItems(ctx, rows, viewerId)
  const begin = since.toISOString().slice(0, 19).replace('T', ' ')
  const weightOf = (item: (typeof items)[number]) => item.like_count + 2 * item.feed_comment_count
  return items
    .filter((item) => item.created_at >= begin && item.user_id !== viewerId)
    .sort((a, b) => weightOf(b) - weightOf(a) || b.id - a.id)
    .slice(0, limit)
    .map((item) => ({
      type: 'feeds',
      id: item.id,
      title: digestTitle(item.feed_content ?? ''),
      author: item.user?.name ?? null,
    }))
}

export const feedDigest: DigestSource = {
  heading: { en: 'From people and topics you follow', zh: '您关注的用户和话题' },
  find,
}
