import { Sparkles } from 'lucide-preact'
import { list, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useViewer } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Chunks } from '../../ui/chunks.tsx'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Announced } from './announced.tsx'
import { Compose } from './compose.tsx'
import { FeedCard } from './feed-card.tsx'

const WORDS = words({
  title: ['Home', '首页'],
  new: ['New', '最新'],
  hot: ['Hot', '热门'],
  following: ['Following', '关注'],
  lists: ['Lists of posts', '动态列表'],
  empty: ['Nothing here yet', '这里还没有内容'],
  emptyText: ['Posts of the people you follow appear here.', '你关注的人发布的动态会显示在这里。'],
  description: ['New and popular posts on this site.', '本站最新和热门动态。'],
})

const TYPES: Record<string, 'new' | 'hot' | 'follow'> = { '/': 'new', '/hot': 'hot', '/following': 'follow' }

const number = (text: string | null) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined)

const feedsOf = ({ path, search }: Visit) =>
  list('/feeds', {
    params: {
      query: {
        type: TYPES[path] ?? 'new',
        after: number(search.get('after')),
        hot: number(search.get('hot')),
        trees: true,
      } as never,
    },
  })

/** Posts that a phone shows without scrolling. */
const AHEAD = 2

export const page = definePage({
  queries: (visit) => [feedsOf(visit)],
  head: ({ language, path }) => ({
    title: path === '/' ? '' : WORDS[language][TYPES[path] === 'hot' ? 'hot' : 'following'],
    description: WORDS[language].description,
    canonical: path,
    atom: '/feeds.atom',
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const viewer = useViewer()
    const feeds = useList(feedsOf(visit))
    const pinned = feeds.first?.pinned ?? []
    const pinnedIds = new Set(pinned.map(({ id }) => id))
    const ahead = new Set([...pinned, ...feeds.items].slice(0, AHEAD).map(({ id }) => id))
    const tabs: [string, string][] = [
      ['/', t.new],
      ['/hot', t.hot],
      ...(viewer ? [['/following', t.following] as [string, string]] : []),
    ]
    return (
      <>
        <h1 class="sr-only">{t.title}</h1>
        <Tabs label={t.lists} here={visit.path} tabs={tabs} />
        {viewer && <Compose />}
        {pinned.map((feed) => (
          <FeedCard key={feed.id} feed={feed} isPinned isAhead={ahead.has(feed.id)} />
        ))}
        {visit.path === '/' && !visit.search.has('after') && (
          <Announced newest={feeds.items[0]?.id ?? 0} onShow={() => feeds.refetch()} />
        )}
        <Chunks
          items={feeds.items.filter(({ id }) => !pinnedIds.has(id))}
          keyOf={({ id }) => `${visit.path} ${id}`}
          render={(feed) => <FeedCard key={feed.id} feed={feed} isAhead={ahead.has(feed.id)} />}
        />
        {feeds.items.length === 0 && !feeds.isPending && (
          <section class="empty">
            <Sparkles size={40} aria-hidden />
            <h2>{t.empty}</h2>
            <p>{t.emptyText}</p>
          </section>
        )}
        <More list={feeds} path={visit.path} />
      </>
    )
  },
})
