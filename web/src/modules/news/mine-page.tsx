import { Link } from 'wouter-preact'
import { list, startOf, useList, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Facts, Time } from '../../ui/time.tsx'

const WORDS = words({
  title: ['My articles', '我的投稿'],
  write: ['Write an article', '投稿'],
  none: ['You have not submitted any articles yet.', '还没有投稿。'],
  kinds: ['Status', '状态'],
  published: ['Published', '已发布'],
  waiting: ['In review', '审核中'],
  refused: ['Rejected', '未通过'],
  revise: ['Edit', '修改'],
  remove: ['Delete', '删除'],
  removed: ['The article was deleted, or its deletion was requested.', '已删除或已提交删除申请。'],
})

const STATES = { published: 0, waiting: 1, refused: 3 } as const
type State = keyof typeof STATES
const NAMES = Object.keys(STATES) as State[]

const stateOf = ({ search }: Visit): State => NAMES.find((name) => name === search.get('state')) ?? 'waiting'
const articlesOf = (visit: Visit) =>
  list('/user/news/contributes', {
    params: { query: { ...startOf(visit.search), type: STATES[stateOf(visit)] } },
  })

export const page = definePage({
  queries: (visit) => [articlesOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { say, fail } = useToast()
    const articles = useList(articlesOf(visit))
    const remove = useWrite<{ news: number; category: number }>(
      (api, path) => api.delete('/news/categories/{category}/news/{news}', { params: { path } }),
      { changes: ['/user/news/contributes', '/user', '/news'] },
    )
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          <Link class="button" href="/news/write">
            {t.write}
          </Link>
        </header>
        <Tabs
          label={t.kinds}
          here={`/news/mine?state=${stateOf(visit)}`}
          tabs={NAMES.map((name) => [`/news/mine?state=${name}`, t[name]])}
        />
        <ul class="rows is-padded">
          {articles.items.map(({ id, title, category, audit_status: state, created_at }) => (
            <li key={id}>
              <div>
                {state === 0 ? (
                  <Link class="name" dir="auto" href={`/news/${id}`}>
                    {title}
                  </Link>
                ) : (
                  <p class="name" dir="auto">
                    {title}
                  </p>
                )}
                <p class="quiet">
                  <Facts of={[category.name, <Time key="time" at={created_at} />]} />
                </p>
              </div>
              {state === 3 && (
                <Link class="button is-quiet" href={`/news/write?article=${id}`}>
                  {t.revise}
                </Link>
              )}
              {state !== 1 && (
                <button
                  type="button"
                  class="button is-quiet"
                  disabled={remove.isPending}
                  onClick={() =>
                    remove.mutate(
                      { news: id, category: category.id },
                      { onSuccess: () => say(t.removed), onError: fail },
                    )
                  }
                >
                  {t.remove}
                </button>
              )}
            </li>
          ))}
        </ul>
        {articles.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={articles} path={visit.path} query={{ state: stateOf(visit) }} />
      </>
    )
  },
})
