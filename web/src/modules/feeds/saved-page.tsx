import { Bookmark } from 'lucide-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { Chunks } from '../../ui/chunks.tsx'
import { More } from '../../ui/more.tsx'
import { FeedCard } from './feed-card.tsx'
import { SavedTabs } from './saved-tabs.tsx'

const WORDS = words({
  title: ['Saved', '收藏'],
  empty: ['Nothing saved yet', '还没有收藏'],
  emptyText: ['Press the bookmark below a post to save it.', '点击动态下方的书签即可收藏。'],
})

const savedOf = ({ search }: Visit) =>
  list('/feeds/collections', { params: { query: { ...startOf(search), trees: true } } })

export const page = definePage({
  queries: (visit) => [savedOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const feeds = useList(savedOf(visit))
    return (
      <>
        <SavedTabs path={visit.path} />
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        <Chunks
          items={feeds.items}
          keyOf={({ id }) => `${visit.path} ${id}`}
          render={(feed) => <FeedCard key={feed.id} feed={feed} />}
        />
        {feeds.items.length === 0 && !feeds.isPending && (
          <section class="empty">
            <Bookmark size={40} aria-hidden />
            <h2>{t.empty}</h2>
            <p>{t.emptyText}</p>
          </section>
        )}
        <More list={feeds} path={visit.path} />
      </>
    )
  },
})
