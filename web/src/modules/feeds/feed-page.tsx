import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { authorship } from '../../app/structured.ts'
import { cutText, onOneLine, plainText } from '../../app/text.ts'
import { colon } from '../../app/words.ts'
import { Supporters } from '../../ui/supporters.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'
import { FeedCard } from './feed-card.tsx'

const feedOf = ({ params }: Visit) =>
  read('/feeds/{feed}', { params: { path: { feed: Number(params.feed) }, query: { trees: true } } })
const TITLE_MOST = 60

export const page = definePage({
  queries: (visit) => [feedOf(visit), commentsOf('feeds', Number(visit.params.feed), visit.search)],
  head: (visit, known) => {
    const feed = known.one(feedOf(visit))
    const text = plainText(feed.feed_content_tree, feed.feed_content)
    const name = feed.user?.name ?? ''
    const [picture] = feed.images
    const image = picture && `${visit.origin}/api/v2/files/${picture.file}?w=960`
    return {
      title: text ? name + colon(visit.language) + cutText(onOneLine(text), TITLE_MOST) : name,
      description: text || name,
      canonical: visit.path,
      type: 'article',
      ...(image ? { image: { url: image, alt: name } } : {}),
      data: {
        '@type': 'DiscussionForumPosting',
        url: `${visit.origin}${visit.path}`,
        text,
        ...authorship(feed, visit),
        ...(image ? { image } : {}),
        commentCount: feed.feed_comment_count,
        interactionStatistic: {
          '@type': 'InteractionCounter',
          interactionType: 'https://schema.org/LikeAction',
          userInteractionCount: feed.like_count,
        },
      },
    }
  },
  body: ({ visit }) => {
    const { data: feed } = useRead(feedOf(visit))
    if (!feed) return null
    return (
      <>
        <h1 class="sr-only">{feed.user?.name}</h1>
        <FeedCard feed={feed} isAlone />
        <Supporters path={`/feeds/${feed.id}`} likes={feed.like_count} />
        <Comments kind="feeds" id={feed.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})
