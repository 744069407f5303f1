import { Link } from 'wouter-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'
import { PeopleTabs } from './people-tabs.tsx'

const WORDS = words({
  '/people': ['Recommended users', '推荐用户'],
  '/people/popular': ['Popular users', '热门用户'],
  '/people/new': ['New users', '新用户'],
  '/people/tags': ['Users who share a tag with you', '与你有相同标签的用户'],
  choose: ['Choose your tags', '选择我的标签'],
  none: ['No users yet.', '暂无用户。'],
})

const PATHS = {
  '/people': '/user/recommends',
  '/people/popular': '/user/populars',
  '/people/new': '/user/latests',
  '/people/tags': '/user/find-by-tags',
} as const

const placeOf = ({ path }: Visit) => path as keyof typeof PATHS
const peopleOf = (visit: Visit) => list(PATHS[placeOf(visit)], { params: { query: startOf(visit.search) } })

export const page = definePage({
  queries: (visit) => [peopleOf(visit)],
  head: (visit) => ({ title: WORDS[visit.language][placeOf(visit)], canonical: visit.path }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const people = useList(peopleOf(visit))
    return (
      <>
        <PeopleTabs path={visit.path} />
        <header class="page-head">
          <h1>{t[placeOf(visit)]}</h1>
          {visit.path === '/people/tags' && (
            <Link class="button is-quiet" href="/account/tags">
              {t.choose}
            </Link>
          )}
        </header>
        <ul class="rows is-padded">
          {people.items.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </ul>
        {people.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={people} path={visit.path} />
      </>
    )
  },
})
