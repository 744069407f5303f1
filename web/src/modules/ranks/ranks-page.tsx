import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { colon, compact, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  title: ['Rankings', '排行榜'],
  kinds: ['Types of rankings', '榜单'],
  spans: ['Period', '时间范围'],
  followers: ['Followers', '粉丝'],
  feeds: ['Posts', '动态'],
  news: ['Articles', '资讯'],
  answers: ['Answers', '回答'],
  likes: ['Likes on answers', '回答获赞'],
  experts: ['Experts', '专家'],
  checkins: ['Check-ins', '签到'],
  balance: ['Points balance', '积分余额'],
  income: ['Income', '收入'],
  day: ['Today', '今日'],
  week: ['This week', '本周'],
  month: ['This month', '本月'],
  place: [(place: number) => `No. ${place}`, (place: number) => `第 ${place} 名`],
  none: ['No users in this ranking yet.', '暂无上榜用户。'],
})

const RANKS = {
  followers: { path: '/ranks/followers' },
  feeds: { path: '/feeds/ranks', hasSpans: true },
  news: { path: '/news/ranks', hasSpans: true },
  answers: { path: '/question-ranks/answers', hasSpans: true },
  likes: { path: '/question-ranks/likes' },
  experts: { path: '/question-ranks/experts' },
  checkins: { path: '/checkin-ranks' },
  balance: { path: '/ranks/balance' },
  income: { path: '/ranks/income' },
} as const
type Rank = keyof typeof RANKS
const NAMES = Object.keys(RANKS) as Rank[]
const SPANS = ['day', 'week', 'month'] as const

const rankOf = ({ params }: Visit): Rank => NAMES.find((name) => name === params.rank) ?? 'followers'
const hasSpans = (rank: Rank) => 'hasSpans' in RANKS[rank]
const spanOf = ({ search }: Visit) => SPANS.find((span) => span === search.get('type')) ?? 'day'

const peopleOf = (visit: Visit) => {
  const rank = rankOf(visit)
  const query = { ...startOf(visit.search), ...(hasSpans(rank) ? { type: spanOf(visit) } : {}) }
  return list(RANKS[rank].path, { params: { query: query as never } })
}

export const page = definePage({
  queries: (visit) => [peopleOf(visit)],
  head: (visit) => {
    const t = WORDS[visit.language]
    return { title: t.title + colon(visit.language) + t[rankOf(visit)], canonical: visit.path }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { language } = useSite()
    const people = useList(peopleOf(visit))
    const rank = rankOf(visit)
    return (
      <>
        <Tabs
          label={t.kinds}
          here={`/ranks/${rank}`}
          tabs={NAMES.map((name) => [`/ranks/${name}`, t[name]])}
        />
        <header class="page-head">
          <h1>
            {t.title}: {t[rank]}
          </h1>
        </header>
        {hasSpans(rank) && (
          <Tabs
            label={t.spans}
            here={`/ranks/${rank}?type=${spanOf(visit)}`}
            tabs={SPANS.map((span) => [`/ranks/${rank}?type=${span}`, t[span]])}
          />
        )}
        <ol class="rows is-padded">
          {people.items.map((person) => {
            const { rank: place, ...extra } = person.extra as {
              rank: number
              count?: number
              checkin_count: number
            }
            const count = rank === 'checkins' ? extra.checkin_count : extra.count
            return (
              <PersonRow
                key={person.id}
                person={person}
                note={[t.place(place), person.bio].filter(Boolean).join(' · ')}
              >
                {count !== undefined && <b>{compact(Number(count), language)}</b>}
              </PersonRow>
            )
          })}
        </ol>
        {people.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={people} path={visit.path} query={hasSpans(rank) ? { type: spanOf(visit) } : {}} />
      </>
    )
  },
})
