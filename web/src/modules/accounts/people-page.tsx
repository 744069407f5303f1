import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { definePage, type Visit } from '../../app/page.ts'
import { useViewer } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'

const WORDS = words({
  followers: [(name: string) => `Followers of ${name}`, (name: string) => `${name} 的粉丝`],
  followings: [(name: string) => `People followed by ${name}`, (name: string) => `${name} 关注的人`],
  none: ['No users yet.', '暂无用户。'],
  remove: ['Remove', '移除'],
  removeName: [(name: string) => `Remove follower ${name}`, (name: string) => `移除粉丝 ${name}`],
  sure: [
    (name: string) => `Remove ${name} from your followers? They are not notified and can follow you again.`,
    (name: string) => `将 ${name} 从粉丝中移除？对方不会收到通知，之后仍可关注你。`,
  ],
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
    const viewer = useViewer()
    const confirm = useConfirm()
    const { fail } = useToast()
    const remove = useWrite<number>(
      (api, follower) => api.delete('/user/followers/{follower}', { params: { path: { follower } } }),
      { changes: ['/users/{user}/followers', '/users/{user}', '/user/relations/{user}'] },
    )
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
            <PersonRow key={person.id} person={person}>
              {viewer?.id === user.id && kindOf(visit) === 'followers' && (
                <button
                  type="button"
                  class="button is-quiet"
                  aria-label={t.removeName(person.name)}
                  onClick={async () => {
                    if (await confirm(t.sure(person.name), t.remove))
                      remove.mutate(person.id, { onError: fail })
                  }}
                >
                  {t.remove}
                </button>
              )}
            </PersonRow>
          ))}
        </ul>
        {people.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={people} path={visit.path} />
      </>
    )
  },
})
