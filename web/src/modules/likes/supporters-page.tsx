import { Link } from 'wouter-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Person, type Visit } from '../../app/page.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'
import { Facts, Time } from '../../ui/time.tsx'

const WORDS = words({
  likes: ['People who like this', '点赞的人'],
  rewards: ['People who rewarded this', '打赏的人'],
  points: [(amount: number) => plural(amount, 'point'), (amount: number) => `${amount} 积分`],
  back: ['Back', '返回'],
  none: ['No users yet.', '暂无用户。'],
  gone: ['Deleted account', '已注销用户'],
})

type Supporter = { id: number; amount?: number; created_at: string; user: Person | null }

const LISTS = {
  feeds: {
    likes: (feed: number, query: object) =>
      list('/feeds/{feed}/likes', { params: { path: { feed }, query } }),
    rewards: (feed: number, query: object) =>
      list('/feeds/{feed}/rewards', { params: { path: { feed }, query } }),
  },
  news: {
    likes: (news: number, query: object) => list('/news/{news}/likes', { params: { path: { news }, query } }),
    rewards: (news: number, query: object) =>
      list('/news/{news}/rewards', { params: { path: { news }, query } }),
  },
  'group-posts': {
    likes: (post: number, query: object) =>
      list('/group-posts/{post}/likes', { params: { path: { post }, query } }),
    rewards: (post: number, query: object) =>
      list('/group-posts/{post}/rewards', { params: { path: { post }, query } }),
  },
  'question-answers': {
    likes: (answer: number, query: object) =>
      list('/question-answers/{answer}/likes', { params: { path: { answer }, query } }),
    rewards: (answer: number, query: object) =>
      list('/question-answers/{answer}/rewarders', { params: { path: { answer }, query } }),
  },
}

const partsOf = ({ path, params, search }: Visit) => {
  const [, kind = 'feeds'] = path.split('/')
  const list = path.endsWith('/likes') ? ('likes' as const) : ('rewards' as const)
  const found = LISTS[kind as keyof typeof LISTS][list](Number(params.thing), startOf(search))
  return { list, found, thing: `/${kind}/${params.thing}` }
}

export const page = definePage({
  queries: (visit) => [partsOf(visit).found],
  head: (visit) => ({ title: WORDS[visit.language][partsOf(visit).list], isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { list: kind, found, thing } = partsOf(visit)
    const supporters = useList(found as never)
    const items = supporters.items as Supporter[]
    return (
      <>
        <header class="page-head">
          <h1>{t[kind]}</h1>
          <Link href={thing}>{t.back}</Link>
        </header>
        <ul class="rows is-padded">
          {items.map(({ id, user, amount, created_at }) => {
            const note = [amount === undefined ? '' : t.points(amount), <Time key="time" at={created_at} />]
            return user ? (
              <PersonRow key={id} person={user} note={<Facts of={note} />} />
            ) : (
              <li key={id}>
                <p class="quiet">
                  <Facts of={[t.gone, ...note]} />
                </p>
              </li>
            )
          })}
        </ul>
        {items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={supporters} path={visit.path} />
      </>
    )
  },
})
