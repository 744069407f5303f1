import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'

const WORDS = words({
  title: [(name: string) => `Participants of #${name}`, (name: string) => `#${name} 的参与者`],
  none: ['No participants yet.', '暂无参与者。'],
})

const idOf = ({ params }: Visit) => Number(params.topic)
const topicOf = (visit: Visit) =>
  read('/feed/topics/{topicID}', { params: { path: { topicID: idOf(visit) } } })
const idsOf = (visit: Visit) =>
  list('/feed/topics/{topicID}/participants', {
    params: { path: { topicID: idOf(visit) }, query: startOf(visit.search) },
  })
const peopleOf = (ids: number[]) => read('/users', { params: { query: { id: ids, limit: 100 } } })

export const page = definePage({
  queries: (visit) => [topicOf(visit), idsOf(visit)],
  head: (visit, known) => ({
    title: WORDS[visit.language].title(known.one(topicOf(visit)).name),
    canonical: visit.path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { data: topic } = useRead(topicOf(visit))
    const ids = useList(idsOf(visit))
    const { data: people = [] } = useRead(peopleOf(ids.items), { enabled: ids.items.length > 0 })
    const byId = new Map(people.map((person) => [person.id, person]))
    return (
      <>
        <header class="page-head">
          <h1>
            <Link href={`/feed-topics/${idOf(visit)}`}>{t.title(topic?.name ?? '')}</Link>
          </h1>
        </header>
        <ul class="rows is-padded">
          {ids.items.map((id) => {
            const person = byId.get(id)
            return person && <PersonRow key={id} person={person} />
          })}
        </ul>
        {ids.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={ids} path={visit.path} />
      </>
    )
  },
})
