import { Newspaper } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Facts, Time } from '../../ui/time.tsx'

const WORDS = words({
  title: ['News', '资讯'],
  description: ['Articles on this site by category.', '按分类浏览本站资讯。'],
  kinds: ['Categories', '分类'],
  all: ['All', '全部'],
  mine: ['My articles', '我的投稿'],
  empty: ['No articles yet', '还没有资讯'],
})

const categoryOf = ({ search }: Visit) => Number(search.get('category')) || undefined
const addressOf = (category: number | undefined) => (category ? `/news?category=${category}` : '/news')
const articlesOf = (visit: Visit) =>
  list('/news', {
    params: {
      query: { cate_id: categoryOf(visit), ...startOf(visit.search) } as never,
    },
  })
const categoriesOf = () => read('/news/cates')

export const page = definePage({
  queries: (visit) => [articlesOf(visit), categoriesOf()],
  head: ({ language, path }) => ({
    title: WORDS[language].title,
    description: WORDS[language].description,
    canonical: path,
    atom: '/news.atom',
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { viewer } = useSite()
    const articles = useList(articlesOf(visit))
    const { data: categories } = useRead(categoriesOf())
    const chosen = categoryOf(visit)
    const all = [...(categories?.my_cates ?? []), ...(categories?.more_cates ?? [])]
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          {viewer && (
            <Link class="button is-quiet" href="/news/mine">
              {t.mine}
            </Link>
          )}
        </header>
        <Tabs
          label={t.kinds}
          here={addressOf(chosen)}
          tabs={[[addressOf(undefined), t.all], ...all.map(({ id, name }) => [addressOf(id), name] as const)]}
        />
        {articles.items.map(({ id, title, subject, image, author, category, created_at }) => (
          <Summary
            key={id}
            href={`/news/${id}`}
            title={title}
            text={subject}
            image={image && `/api/v2/files/${image.id}?w=192`}
          >
            <Facts of={[author, category.name, <Time key="time" at={created_at} />]} />
          </Summary>
        ))}
        {articles.items.length === 0 && !articles.isPending && (
          <section class="empty">
            <Newspaper size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        <More
          list={articles}
          path={visit.path}
          {...(chosen ? { query: { category: String(chosen) } } : {})}
        />
      </>
    )
  },
})
