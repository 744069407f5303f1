import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { plainLine } from '../../app/text.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Facts, Time } from '../../ui/time.tsx'

const WORDS = words({
  title: [(name: string) => `Reports and requests in ${name}`, (name: string) => `${name} 的待处理事项`],
  kinds: ['Reports and requests', '待处理类型'],
  reports: ['Reports', '举报'],
  pins: ['Pin requests', '置顶申请'],
  accept: ['Accept', '同意'],
  reject: ['Reject', '拒绝'],
  post: ['Post', '帖子'],
  comment: ['Comment', '评论'],
  none: ['Nothing to review.', '没有待处理事项。'],
  pin: [
    (days: number, points: number) => `${plural(days, 'day')} for ${plural(points, 'point')}`,
    (days: number, points: number) => `置顶 ${days} 天，${points} 积分`,
  ],
})
const KINDS = ['reports', 'pins'] as const
const OPEN = 0

const idOf = ({ params }: Visit) => Number(params.group)
const kindOf = ({ search }: Visit) => (search.get('kind') === 'pins' ? 'pins' : 'reports')
const groupOf = (visit: Visit) => read('/groups/{group}', { params: { path: { group: idOf(visit) } } })
const reportsOf = (visit: Visit) =>
  list('/reports', {
    params: { query: { ...startOf(visit.search), group_id: idOf(visit), status: OPEN, trees: true } },
  })
const pinsOf = (visit: Visit) =>
  list('/pinned/posts', { params: { query: { ...startOf(visit.search), group: idOf(visit) } } })

export const page = definePage({
  queries: (visit) => [groupOf(visit), kindOf(visit) === 'pins' ? pinsOf(visit) : reportsOf(visit)],
  head: (visit, known) => ({
    title: WORDS[visit.language].title(known.one(groupOf(visit)).name),
    isPrivate: true,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { data: group } = useRead(groupOf(visit))
    if (!group) return null
    return (
      <>
        <header class="page-head">
          <h1>
            <Link href={`/groups/${group.id}`}>{t.title(group.name)}</Link>
          </h1>
        </header>
        <Tabs
          label={t.kinds}
          here={`${visit.path}?kind=${kindOf(visit)}`}
          tabs={KINDS.map((kind) => [`${visit.path}?kind=${kind}`, t[kind]])}
        />
        {kindOf(visit) === 'pins' ? <Pins visit={visit} /> : <Reports visit={visit} />}
      </>
    )
  },
})

function Reports({ visit }: { visit: Visit }) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  const reports = useList(reportsOf(visit))
  const decide = useWrite<{ report: number; isAccepted: boolean }>(
    (api, { report, isAccepted }) =>
      isAccepted
        ? api.patch('/reports/{report}/accept', { params: { path: { report } }, body: {} })
        : api.patch('/reports/{report}/reject', { params: { path: { report } }, body: {} }),
    { changes: ['/reports', '/groups/{group}/posts'] },
  )
  return (
    <>
      <ul class="rows is-padded">
        {reports.items.map(({ id, type, content, user, post, comment, created_at }) => (
          <li key={id}>
            <div>
              <p class="name" dir="auto">
                {content}
              </p>
              <p class="quiet">
                <Facts
                  of={[
                    post && (
                      <Link key="post" href={`/groups/${post.group_id}/posts/${post.id}`}>
                        {post.title || (type === 'comment' ? t.comment : t.post)}
                      </Link>
                    ),
                    comment && `“${plainLine(comment.body_tree, comment.body)}”`,
                    user?.name,
                    <Time key="time" at={created_at} />,
                  ]}
                />
              </p>
            </div>
            <Decide
              isBusy={decide.isPending}
              onDecide={(isAccepted) => decide.mutate({ report: id, isAccepted }, { onError: fail })}
            />
          </li>
        ))}
      </ul>
      {reports.items.length === 0 && !reports.isFetching && <p class="quiet is-centred">{t.none}</p>}
      <More list={reports} path={visit.path} />
    </>
  )
}

function Pins({ visit }: { visit: Visit }) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  const pins = useList(pinsOf(visit))
  const decide = useWrite<{ post: number; isAccepted: boolean }>(
    (api, { post, isAccepted }) =>
      isAccepted
        ? api.patch('/currency-pinned/posts/{post}/accept', { params: { path: { post } } })
        : api.patch('/currency-pinned/posts/{post}/reject', { params: { path: { post } } }),
    { changes: ['/pinned/posts', '/groups/{group}/posts'] },
  )
  return (
    <>
      <ul class="rows is-padded">
        {pins.items.map(({ id, amount, day, state, user, post, target }) => (
          <li key={id}>
            <div>
              <p class="name" dir="auto">
                {post ? <Link href={`/groups/${post.group_id}/posts/${post.id}`}>{post.title}</Link> : t.post}
              </p>
              <p class="quiet">{[user?.name, t.pin(day, amount)].filter(Boolean).join(' · ')}</p>
            </div>
            {state === OPEN && (
              <Decide
                isBusy={decide.isPending}
                onDecide={(isAccepted) => decide.mutate({ post: target, isAccepted }, { onError: fail })}
              />
            )}
          </li>
        ))}
      </ul>
      {pins.items.length === 0 && !pins.isFetching && <p class="quiet is-centred">{t.none}</p>}
      <More list={pins} path={visit.path} query={{ kind: 'pins' }} />
    </>
  )
}

function Decide({ isBusy, onDecide }: { isBusy: boolean; onDecide(isAccepted: boolean): void }) {
  const t = useWords(WORDS)
  return (
    <span class="acts">
      <button type="button" class="button is-quiet" disabled={isBusy} onClick={() => onDecide(true)}>
        {t.accept}
      </button>
      <button type="button" class="button is-quiet" disabled={isBusy} onClick={() => onDecide(false)}>
        {t.reject}
      </button>
    </span>
  )
}
