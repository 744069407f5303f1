import type { Kith, Schema } from '@kith/client'
import { Link } from 'wouter-preact'
import { list, startOf, useList, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import type { TextNode } from '../../app/text.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Text } from '../../ui/text.tsx'

const WORDS = words({
  title: ['Requests to pin comments', '评论置顶申请'],
  kinds: ['Types of content', '内容类型'],
  feeds: ['Posts', '动态'],
  news: ['Articles', '资讯'],
  'group-posts': ['Group posts', '圈子帖子'],
  pin: [
    (name: string, days: number, points: number) =>
      `${name} · ${plural(days, 'day')} for ${plural(points, 'point')}`,
    (name: string, days: number, points: number) => `${name} · 置顶 ${days} 天，${points} 积分`,
  ],
  gone: ['Deleted comment', '评论已删除'],
  open: ['View', '查看'],
  accept: ['Accept', '同意'],
  reject: ['Reject', '拒绝'],
  none: ['No pin requests.', '暂无置顶申请。'],
})

type Shown = {
  id: number
  amount: number
  day: number
  user: { name: string } | null
  comment: { body: string; body_tree?: TextNode[] } | null
  href: string
  isOpen: boolean
  accept(api: Kith): Promise<unknown>
  reject(api: Kith): Promise<unknown>
}

const WAITS = 0

const KINDS = {
  feeds: {
    path: '/user/feed-comment-pinneds',
    show: ({ raw: feed, target: comment, id: pinned, state, ...pin }: Schema<'FeedCommentPin'>): Shown => ({
      ...pin,
      id: pinned,
      href: `/feeds/${feed}`,
      isOpen: state === 'pending',
      accept: (api) =>
        api.patch('/feeds/{feed}/comments/{comment}/currency-pinneds/{pinned}', {
          params: { path: { feed, comment, pinned } },
        }),
      reject: (api) =>
        api.delete('/user/feed-comment-currency-pinneds/{pinned}', { params: { path: { pinned } } }),
    }),
  },
  news: {
    path: '/news/comments/pinneds',
    show: ({
      target: news,
      raw: comment,
      id: pinned,
      state,
      ...pin
    }: Schema<'ArticleCommentPin'>): Shown => ({
      ...pin,
      id: pinned,
      href: `/news/${news}`,
      isOpen: state === WAITS,
      accept: (api) =>
        api.patch('/news/{news}/comments/{comment}/currency-pinneds/{pinned}', {
          params: { path: { news, comment, pinned } },
        }),
      reject: (api) =>
        api.patch('/news/{news}/comments/{comment}/currency-pinneds/{pinned}/reject', {
          params: { path: { news, comment, pinned } },
        }),
    }),
  },
  'group-posts': {
    path: '/pinned/comments',
    show: ({ raw: post, target: comment, state, ...pin }: Schema<'GroupPin'>): Shown => ({
      ...(pin as typeof pin & Pick<Shown, 'comment'>),
      href: `/group-posts/${post}`,
      isOpen: state === WAITS,
      accept: (api) =>
        api.patch('/currency-pinned/comments/{comment}/accept', { params: { path: { comment } } }),
      reject: (api) =>
        api.patch('/currency-pinned/comments/{comment}/reject', { params: { path: { comment } } }),
    }),
  },
} as const
const NAMES = ['feeds', 'news', 'group-posts'] as const

const kindOf = ({ params }: Visit) => NAMES.find((kind) => kind === params.kind) ?? 'feeds'
const pinsOf = (visit: Visit) =>
  list(KINDS[kindOf(visit)].path, { params: { query: { ...startOf(visit.search), trees: true } } } as never)

export const page = definePage({
  queries: (visit) => [pinsOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const kind = kindOf(visit)
    const pins = useList(pinsOf(visit))
    const show = KINDS[kind].show as (pin: unknown) => Shown
    const decide = useWrite<(api: Kith) => Promise<unknown>>((api, send) => send(api), {
      changes: [KINDS[kind].path],
    })
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        <Tabs label={t.kinds} here={`/pins/${kind}`} tabs={NAMES.map((name) => [`/pins/${name}`, t[name]])} />
        <ul class="rows is-padded">
          {pins.items.map((pin) => {
            const { id, amount, day, user, comment, href, isOpen, accept, reject } = show(pin)
            return (
              <li key={id}>
                <div>
                  {comment ? (
                    <Text tree={comment.body_tree} raw={comment.body} />
                  ) : (
                    <p class="quiet">{t.gone}</p>
                  )}
                  <p class="quiet">
                    {t.pin(user?.name ?? '', day, amount)} <Link href={href}>{t.open}</Link>
                  </p>
                </div>
                {isOpen &&
                  (
                    [
                      [t.accept, accept],
                      [t.reject, reject],
                    ] as const
                  ).map(([label, send]) => (
                    <button
                      key={label}
                      type="button"
                      class="button is-quiet"
                      disabled={decide.isPending}
                      onClick={() => decide.mutate(send, { onError: fail })}
                    >
                      {label}
                    </button>
                  ))}
              </li>
            )
          })}
        </ul>
        {pins.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={pins} path={visit.path} />
      </>
    )
  },
})
