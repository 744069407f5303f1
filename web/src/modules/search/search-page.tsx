import type { Schema } from '@kith/client'
import { SearchX } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { cutText } from '../../app/text.ts'
import { useWords, words } from '../../app/words.ts'
import { PersonRow } from '../../ui/person-row.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { FeedCard } from '../feeds/feed-card.tsx'
import { QuestionRow } from '../questions/question-row.tsx'

const WORDS = words({
  title: ['Search', '搜索'],
  prompt: ['Search people, posts and more', '搜索用户、动态等'],
  go: ['Search', '搜索'],
  kinds: ['Types of results', '结果类型'],
  all: ['All', '全部'],
  users: ['People', '用户'],
  feeds: ['Posts', '动态'],
  'feed-topics': ['Topics', '话题'],
  news: ['News', '资讯'],
  questions: ['Questions', '问答'],
  groups: ['Groups', '圈子'],
  music: ['Music', '音乐'],
  explore: ['Explore', '发现'],
  none: ['No results', '没有找到结果'],
  noneText: ['Try different words.', '换个关键词试试。'],
  more: ['Show more', '加载更多'],
  of: [(q: string) => `Search for ${q}`, (q: string) => `搜索 ${q}`],
})

type Results = Schema<'SearchResults'>
const KINDS = ['users', 'feeds', 'feed-topics', 'news', 'questions', 'groups'] as const
type Kind = (typeof KINDS)[number]
const PAGE = 15
const EACH = 5

const kindOf = ({ search }: Visit): Kind | undefined => KINDS.find((kind) => kind === search.get('type'))
const wordsOf = ({ search }: Visit) => cutText((search.get('q') ?? '').trim(), 100)

const resultsOf = (visit: Visit) => {
  const type = kindOf(visit)
  const after = Number(visit.search.get('after')) || undefined
  return read('/search', {
    params: {
      query: { q: wordsOf(visit), trees: true, ...(type ? { type, ...(after ? { after } : {}) } : {}) },
    },
  })
}

export const page = definePage({
  queries: (visit) => (wordsOf(visit) ? [resultsOf(visit)] : []),
  head: (visit) => {
    const t = WORDS[visit.language]
    const q = wordsOf(visit)
    return { title: q ? t.of(q) : t.title, isPrivate: true }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const [, navigate] = useLocation()
    const q = wordsOf(visit)
    const { data: results } = useRead(resultsOf(visit), { enabled: q !== '' })
    const kind = kindOf(visit)
    const addressOf = (type: Kind | undefined, after?: number) =>
      `/search?${new URLSearchParams({ q, ...(type ? { type } : {}), ...(after ? { after: String(after) } : {}) })}`
    const shown = KINDS.filter((each) => (kind === undefined || kind === each) && results?.[each]?.length)
    return (
      <>
        <search>
          <form
            class="search"
            action="/search"
            onSubmit={(event) => {
              event.preventDefault()
              const wanted = String(new FormData(event.currentTarget).get('q') ?? '').trim()
              navigate(wanted ? `/search?q=${encodeURIComponent(wanted)}` : '/search')
            }}
          >
            <h1 class="sr-only">{t.title}</h1>
            <input
              key={q}
              type="search"
              dir="auto"
              name="q"
              aria-label={t.title}
              placeholder={t.prompt}
              defaultValue={q}
              maxLength={100}
              autocomplete="off"
            />
            <button class="button" type="submit">
              {t.go}
            </button>
          </form>
        </search>
        {q && (
          <Tabs
            label={t.kinds}
            here={addressOf(kind)}
            tabs={[undefined, ...KINDS].map((each) => [addressOf(each), t[each ?? 'all']])}
          />
        )}
        {!q && (
          <nav class="explore" aria-label={t.explore}>
            {(['feed-topics', 'news', 'questions', 'groups', 'music'] as const).map((each) => (
              <Link key={each} class="card" href={each === 'feed-topics' ? '/topics' : `/${each}`}>
                {t[each]}
              </Link>
            ))}
          </nav>
        )}
        {results && shown.length === 0 && (
          <section class="empty">
            <SearchX size={40} aria-hidden />
            <h2>{t.none}</h2>
            <p>{t.noneText}</p>
          </section>
        )}
        {results &&
          shown.map((each) => (
            <section key={each} class="found" aria-label={t[each]}>
              {!kind && <h2>{t[each]}</h2>}
              <Found kind={each} results={results} />
              {(results[each]?.length ?? 0) >= (kind ? PAGE : EACH) && (
                <Link class="more" href={addressOf(each, kind && results[each]?.at(-1)?.id)}>
                  {t.more}
                </Link>
              )}
            </section>
          ))}
      </>
    )
  },
})

function Found({ kind, results }: { kind: Kind; results: Results }) {
  if (kind === 'feeds') return results.feeds?.map((feed) => <FeedCard key={feed.id} feed={feed} />)
  if (kind === 'feed-topics')
    return results['feed-topics']?.map(({ id, name, desc, logo }) => (
      <Summary key={id} href={`/feed-topics/${id}`} title={`#${name}`} text={desc} image={logo?.url} />
    ))
  if (kind === 'news')
    return results.news?.map(({ id, title, subject }) => (
      <Summary key={id} href={`/news/${id}`} title={title} text={subject} />
    ))
  if (kind === 'questions')
    return results.questions?.map((question) => <QuestionRow key={question.id} question={question} />)
  if (kind === 'groups')
    return results.groups?.map(({ id, name, summary, avatar }) => (
      <Summary key={id} href={`/groups/${id}`} title={name} text={summary} image={avatar?.url} />
    ))
  return (
    <ul class="rows is-padded">
      {results.users?.map((person) => (
        <PersonRow key={person.id} person={person} />
      ))}
    </ul>
  )
}
