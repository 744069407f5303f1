import { Repeat2 } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { useWords, words } from '../../app/words.ts'
import { Text } from '../../ui/text.tsx'

const WORDS = words({
  feeds: ['Reposted a post', '转发了动态'],
  news: ['Reposted an article', '转发了资讯'],
  questions: ['Reposted a question', '转发了问题'],
  'question-answers': ['Reposted an answer', '转发了回答'],
  groups: ['Reposted a group', '转发了圈子'],
  'group-posts': ['Reposted a group post', '转发了帖子'],
})

export function Reposted({ type, id }: { type: string; id: number }) {
  const t = useWords(WORDS)
  const { data } = useRead(read('/feeds', { params: { query: { id: [id], trees: true } } as never }), {
    enabled: type === 'feeds',
  })
  const feed = data?.feeds.find((each) => each.id === id)
  if (!(type in t)) return null
  return (
    <blockquote class="reposted">
      <p class="feed-note">
        <Repeat2 size={14} aria-hidden />
        <Link href={`/${type}/${id}`}>{t[type as 'feeds']}</Link>
      </p>
      {feed?.user && (
        <Link class="name" dir="auto" href={`/users/${feed.user.id}`}>
          {feed.user.name}
        </Link>
      )}
      {feed?.feed_content && <Text tree={feed.feed_content_tree} raw={feed.feed_content} />}
    </blockquote>
  )
}
