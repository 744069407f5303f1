import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, useWords, words } from '../../app/words.ts'
import { Form } from '../../ui/form.tsx'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { GroupFields, groupOf } from './group-fields.tsx'

const WORDS = words({
  title: [(name: string) => `Settings of ${name}`, (name: string) => `${name} 圈子设置`],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
  notYours: [
    'Only the founder and administrators of the group can change its settings.',
    '只有圈主和管理员可以修改圈子设置。',
  ],
  income: ['Income', '收入'],
  none: ['No income yet.', '暂无收入。'],
  joined: [(who: string) => `${who} joined`, (who: string) => `${who} 加入圈子`],
  pinned: [(what: string) => `Pinned: ${what}`, (what: string) => `置顶：${what}`],
  points: [(count: number) => plural(count, 'point'), (count: number) => `${count} 积分`],
})

const idOf = ({ params }: Visit) => Number(params.group)
const groupQuery = (visit: Visit) => read('/groups/{group}', { params: { path: { group: idOf(visit) } } })
const incomesOf = (visit: Visit) =>
  list('/groups/{group}/incomes', {
    params: { path: { group: idOf(visit) }, query: startOf(visit.search) as never },
  })

export const page = definePage({
  queries: (visit) => [groupQuery(visit)],
  // Optional, because only the founder may read the income.
  extras: (visit) => [incomesOf(visit)],
  head: (visit, known) => ({
    title: WORDS[visit.language].title(known.one(groupQuery(visit)).name),
    isPrivate: true,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { say } = useToast()
    const { data: group } = useRead(groupQuery(visit))
    const isFounder = group?.joined?.role === 'founder'
    const incomes = useList(incomesOf(visit), { enabled: isFounder })
    const save = useWrite<ReturnType<typeof groupOf>>(
      (api, body) => api.post('/groups/{group}', { params: { path: { group: idOf(visit) } }, body } as never),
      { changes: ['/groups/{group}', '/groups', '/user-groups'] },
    )
    if (!group) return null
    const mayChange = isFounder || group.joined?.role === 'administrator'
    return (
      <div class="settings">
        <h1>
          <Link href={`/groups/${group.id}`}>{t.title(group.name)}</Link>
        </h1>
        {mayChange ? (
          <Form
            label={t.save}
            draft={`group/${group.id}`}
            send={async (given) => {
              await save.mutateAsync(groupOf(given))
              say(t.saved)
            }}
          >
            <GroupFields group={group} />
          </Form>
        ) : (
          <p>{t.notYours}</p>
        )}
        {isFounder && (
          <>
            <h2>{t.income}</h2>
            {incomes.items.length === 0 && <p class="quiet">{t.none}</p>}
            <ul class="rows">
              {incomes.items.map(({ id, type, subject, amount, user, created_at }) => (
                <li key={id}>
                  <div>
                    <p class="name" dir="auto">
                      {type === 1 ? t.joined(user?.name ?? subject) : t.pinned(subject)}
                    </p>
                    <p class="quiet">
                      <Time at={created_at} />
                    </p>
                  </div>
                  <b>{t.points(amount)}</b>
                </li>
              ))}
            </ul>
            <More list={incomes} path={visit.path} />
          </>
        )}
      </div>
    )
  },
})
