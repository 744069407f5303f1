import type { Schema } from '@kith/client'
import { Bookmark, Heart, MessageCircle, Pin } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useSite } from '../../app/site.ts'
import { compact, useWords, words } from '../../app/words.ts'
import { Buy } from '../../ui/buy.tsx'
import { AvatarLink } from '../../ui/picture.tsx'
import { Text } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { Action, useToggle } from '../../ui/toggle.tsx'
import { FeedMenu } from './feed-menu.tsx'
import { FeedPictures, FeedVideo } from './feed-pictures.tsx'
import { Reposted } from './reposted.tsx'

type Feed = Schema<'Feed'>

const WORDS = words({
  like: ['Like', '点赞'],
  comment: ['Comments', '评论'],
  collect: ['Save', '收藏'],
  pinned: ['Pinned', '置顶'],
  closed: ['Deleted account', '已注销用户'],
  muted: [
    (word: string) => `Hidden, because it has the muted word “${word}”.`,
    (word: string) => `因含有屏蔽词“${word}”而隐藏。`,
  ],
  show: ['Show anyway', '仍然显示'],
})

type CardProps = { feed: Feed; isPinned?: boolean; isAlone?: boolean; isAhead?: boolean }

export const isFeed =
  (id: number) =>
  (each: object): each is Feed =>
    'feed_content' in each && (each as Feed).id === id

export function FeedCard(props: CardProps) {
  const t = useWords(WORDS)
  const [isOpen, setIsOpen] = useState(props.isAlone === true)
  const word = props.feed.muted_word
  if (!word || isOpen) return <OpenCard {...props} />
  return (
    <article id={`feed-${props.feed.id}`} class="feed" aria-label={t.muted(word)}>
      <p class="quiet">{t.muted(word)}</p>
      <button type="button" class="text-button" onClick={() => setIsOpen(true)}>
        {t.show}
      </button>
    </article>
  )
}

function OpenCard({ feed, isPinned = false, isAlone = false, isAhead = isAlone }: CardProps) {
  const t = useWords(WORDS)
  const name = feed.user?.name ?? t.closed
  const linked = new Set(
    feed.feed_content_tree?.map((node) => typeof node !== 'string' && node.type === 'topic' && node.topic),
  )
  const tags = feed.topics.filter(({ id }) => !linked.has(id))
  return (
    <article id={`feed-${feed.id}`} class={isAlone ? 'feed is-alone' : 'feed'} aria-label={name}>
      {isPinned && (
        <p class="feed-note">
          <Pin size={14} aria-hidden /> {t.pinned}
        </p>
      )}
      <header class="byline">
        <AvatarLink person={feed.user} />
        <div>
          {feed.user ? (
            <Link class="name" dir="auto" href={`/users/${feed.user.id}`}>
              {name}
            </Link>
          ) : (
            <span class="name" dir="auto">
              {name}
            </span>
          )}
          <Link class="time" href={`/feeds/${feed.id}`}>
            <Time at={feed.created_at} />
          </Link>
        </div>
        <FeedMenu feed={feed} />
      </header>
      {feed.feed_content && <Text tree={feed.feed_content_tree} raw={feed.feed_content} />}
      {feed.paid_node && !feed.paid_node.paid && (
        <Buy node={feed.paid_node.node} amount={feed.paid_node.amount} />
      )}
      {feed.images.length > 0 && <FeedPictures feed={feed} name={name} isAhead={isAhead} />}
      {feed.video && <FeedVideo video={feed.video} name={name} />}
      {feed.repostable_type && feed.repostable_id && (
        <Reposted type={feed.repostable_type} id={feed.repostable_id} />
      )}
      {tags.length > 0 && (
        <ul class="tags">
          {tags.map((topic) => (
            <li key={topic.id}>
              <Link dir="auto" href={`/feed-topics/${topic.id}`}>
                #{topic.name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Actions feed={feed} />
    </article>
  )
}

function Actions({ feed }: { feed: Feed }) {
  const t = useWords(WORDS)
  const { language } = useSite()
  const params = { path: { feed: feed.id } }
  const like = useToggle(isFeed(feed.id), {
    isOn: feed.has_like,
    on: (api) => api.post('/feeds/{feed}/like', { params }),
    off: (api) => api.delete('/feeds/{feed}/unlike', { params }),
    apply: (each, isOn) => ({ ...each, has_like: isOn, like_count: each.like_count + (isOn ? 1 : -1) }),
  })
  const collect = useToggle(isFeed(feed.id), {
    isOn: feed.has_collect,
    on: (api) => api.post('/feeds/{feed}/collections', { params }),
    off: (api) => api.delete('/feeds/{feed}/uncollect', { params }),
    apply: (each, isOn) => ({ ...each, has_collect: isOn }),
  })
  return (
    <footer class="actions">
      <Action
        icon={Heart}
        kind="like"
        label={t.like}
        count={feed.like_count}
        isOn={feed.has_like}
        onClick={like}
      />
      <Link class="action" href={`/feeds/${feed.id}`} aria-label={`${t.comment} ${feed.feed_comment_count}`}>
        <MessageCircle size={20} aria-hidden />
        {feed.feed_comment_count > 0 && <span>{compact(feed.feed_comment_count, language)}</span>}
      </Link>
      <Action icon={Bookmark} kind="collect" label={t.collect} isOn={feed.has_collect} onClick={collect} />
    </footer>
  )
}
