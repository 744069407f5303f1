import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'

const WORDS = words({
  followers: [(name: string) => `Followers of ${name}`, (name: string) => `${name} 的粉丝`],
  followings: [(name: string) => `People followed by ${name}`, (name: string) => `${name} 关注的人`],
  none: ['No users yet.', '暂无用户。'],
})

const idOf = ({ params }: Visit) => Number(params.user)
const kindOf = ({ path }: Visit) => (path.endsWith('/followers') ? 'followers' : 'followings')
const userOf = (visit: Visit) => read('/users/{user}', { params: { path: { user: String(idOf(visit)) } } })
const peopleOf = (visit: Visit) => {
  const init = { params: { path: { user: idOf(visit) }, query: startOf(visit.search) } }
  return kindOf(visit) === 'followers'
    ? list('/users/{user}/followers', init)
    : list('/users/{user}/followings', init)
}

export const page = definePage({
  queries: (visit) => [userOf(visit), peopleOf(visit)],
  head: (visit, known) => ({
    title: WORDS[visit.language][kindOf(visit)](known.one(userOf(visit)).name),
    canonical: visit.path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { data: user } = useRead(userOf(visit))
    const people = useList(peopleOf(visit))
    if (!user) return null
    return (
      <>
        <header class="page-head">
          <h1>
            <Link href={`/users/${user.id}`}>{t[kindOf(visit)](user.name)}</Link>
          </h1>
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
