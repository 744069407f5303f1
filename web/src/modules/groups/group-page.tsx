import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { mayRetry, useFailureText } from '../../app/failures.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { compact, plural, useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { More } from '../../ui/more.tsx'
import { Pay } from '../../ui/pay.tsx'
import { summaryOf } from '../../ui/preview.tsx'
import { useShowPublished } from '../../ui/published.ts'
import { Report } from '../../ui/report.tsx'
import { Summary } from '../../ui/summary.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'

const WORDS = words({
  join: ['Join', '加入'],
  joinFor: [
    (points: number) => `Join for ${plural(points, 'point')}`,
    (points: number) => `支付 ${points} 积分加入`,
  ],
  waiting: ['Cancel request', '撤回申请'],
  leave: ['Leave', '退出'],
  leaveThis: ['Leave this group?', '确定退出这个圈子吗？'],
  leavePaid: [
    (points: number) =>
      `Leave this group? The ${plural(points, 'point')} that you paid are not returned, and you pay again to join again.`,
    (points: number) => `确定退出这个圈子吗？已支付的 ${points} 积分不会退还，再次加入需要重新付费。`,
  ],
  counts: [
    (people: number, posts: number) =>
      `${plural(people, 'member', compact(people, 'en'))} · ${plural(posts, 'post', compact(posts, 'en'))}`,
    (people: number, posts: number) => `${compact(people, 'zh')} 位成员 · ${compact(posts, 'zh')} 个帖子`,
  ],
  facts: [
    (likes: number, comments: number) => `${plural(likes, 'like')} · ${plural(comments, 'comment')}`,
    (likes: number, comments: number) => `${likes} 个赞 · ${comments} 条评论`,
  ],
  none: ['No posts to show.', '暂无可浏览的帖子。'],
  retry: ['Try again', '重试'],
  requests: ['Reports and requests', '待处理'],
  write: ['Write a post', '发帖'],
  publish: ['Publish', '发布'],
  title: ['Title', '标题'],
  text: ['Text', '正文'],
  settings: ['Settings', '设置'],
  excellent: ['Excellent', '精选'],
})

type Group = Schema<'GroupDetail'>

const idOf = ({ params }: Visit) => Number(params.group)
const groupOf = (visit: Visit) => read('/groups/{group}', { params: { path: { group: idOf(visit) } } })
const postsOf = (visit: Visit) =>
  list('/groups/{group}/posts', {
    params: {
      path: { group: idOf(visit) },
      query: { ...startOf(visit.search) } as never,
    },
  })

export const page = definePage({
  queries: (visit) => [groupOf(visit)],
  // Optional, because only members may read the posts of a closed group.
  extras: (visit) => [postsOf(visit)],
  head: (visit, known) => {
    const { name, summary, mode, avatar } = known.one(groupOf(visit))
    return {
      title: name,
      description: summary || name,
      canonical: visit.path,
      isPrivate: mode !== 'public',
      ...(avatar ? { image: { url: avatar.url, alt: name } } : {}),
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const textOf = useFailureText()
    const { api, viewer } = useSite()
    const { data: group } = useRead(groupOf(visit))
    const posts = useList(postsOf(visit), { enabled: group !== undefined })
    const [isWriting, setIsWriting] = useState(false)
    if (!group) return null
    const isMember = group.joined?.audit === 1
    const isManager = isMember && group.joined?.role !== 'member'
    const pinned = posts.first?.pinneds ?? []
    const pinnedIds = new Set(pinned.map(({ id }) => id))
    return (
      <>
        <header class="article">
          <div class="page-row">
            <h1 {...said(group.name)}>{group.name}</h1>
            <Membership group={group} path={visit.path} />
          </div>
          {group.summary && <p {...said(group.summary)}>{group.summary}</p>}
          {group.notice && (
            <p class="price" {...said(group.notice)}>
              {group.notice}
            </p>
          )}
          <p class="quiet">
            {group.category.name} ·{' '}
            <Link href={`/groups/${group.id}/members`}>{t.counts(group.users_count, group.posts_count)}</Link>
            {isManager && (
              <>
                {' · '}
                <Link href={`/groups/${group.id}/edit`}>{t.settings}</Link>
                {' · '}
                <Link href={`/groups/${group.id}/requests`}>{t.requests}</Link>
              </>
            )}
          </p>
          {group.joined?.role !== 'founder' && (
            <Report
              place={`group/${group.id}`}
              send={(content) =>
                api.post('/groups/{group}/reports', {
                  params: { path: { group: group.id } },
                  body: { content },
                })
              }
            />
          )}
          {viewer && isMember && (
            <p>
              <button type="button" class="button" onClick={() => setIsWriting(true)}>
                {t.write}
              </button>
            </p>
          )}
        </header>
        {[...pinned, ...posts.items.filter(({ id }) => !pinnedIds.has(id))].map((post) => (
          <Summary
            key={post.id}
            id={`post-${post.id}`}
            href={`/groups/${group.id}/posts/${post.id}`}
            title={post.title}
            text={post.summary}
            image={post.images[0] && `/api/v2/files/${post.images[0].id}?w=192`}
          >
            {[
              post.user?.name,
              post.excellent_at && t.excellent,
              t.facts(post.likes_count, post.comments_count),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Summary>
        ))}
        {mayRetry(posts.error) ? (
          <p class="failure is-centred" role="alert">
            {textOf(posts.error)}{' '}
            <button type="button" class="text-button" onClick={() => void posts.refetch()}>
              {t.retry}
            </button>
          </p>
        ) : (
          posts.items.length === 0 && !posts.isFetching && <p class="quiet is-centred">{t.none}</p>
        )}
        <More list={posts} path={visit.path} />
        {isWriting && <Write group={group} onClose={() => setIsWriting(false)} />}
      </>
    )
  },
})

function Membership({ group, path }: { group: Group; path: string }) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const [, navigate] = useLocation()
  const { fail } = useToast()
  const confirm = useConfirm()
  const [isPaying, setIsPaying] = useState(false)
  const params = { path: { group: group.id } }
  const changes = ['/groups/{group}', '/groups/{group}/posts', '/groups']
  const join = useWrite<{ headers?: object; password?: object }>(
    (client, { headers = {}, password = {} }) =>
      client.put('/currency-groups/{group}', { params, body: password, headers } as never),
    { changes },
  )
  const leave = useWrite((client) => client.delete('/groups/{group}/exit', { params }), { changes })
  if (group.joined?.role === 'founder') return null
  const isIn = group.joined?.audit === 1
  const isPaid = group.mode === 'paid' && group.money > 0
  if (group.joined)
    return (
      <button
        type="button"
        class="button is-quiet"
        onClick={async () => {
          if (isIn && !(await confirm(isPaid ? t.leavePaid(group.money) : t.leaveThis, t.leave))) return
          leave.mutate(undefined, { onError: fail })
        }}
      >
        {isIn ? t.leave : t.waiting}
      </button>
    )
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          if (!viewer) navigate(`/sign-in?next=${encodeURIComponent(path)}`)
          else if (isPaid) setIsPaying(true)
          else join.mutate({}, { onError: fail })
        }}
      >
        {isPaid ? t.joinFor(group.money) : t.join}
      </button>
      {isPaying && api && (
        <Pay
          purpose={`join/groups/${group.id}`}
          title={t.join}
          price={() => group.money}
          pay={({ password, headers }) => join.mutateAsync({ headers, password })}
          onDone={() => setIsPaying(false)}
          onClose={() => setIsPaying(false)}
        />
      )}
    </>
  )
}

function Write({ group, onClose }: { group: Group; onClose(): void }) {
  const t = useWords(WORDS)
  const show = useShowPublished()
  const write = useWrite(
    async (api, { title = '', body = '', mark = '' }: Record<string, string>) =>
      api.post('/groups/{group}/posts', {
        params: { path: { group: group.id } },
        body: { title, body, summary: await summaryOf(api, body) },
        headers: { 'idempotency-key': mark },
      }),
    {
      onSuccess: ({ post: { id } }) =>
        void show(
          ['/groups/{group}/posts', '/groups/{group}'],
          `post-${id}`,
          `/groups/${group.id}/posts/${id}`,
        ),
    },
  )
  return (
    <Dialog title={t.write} onClose={onClose}>
      <Form
        label={t.publish}
        draft={`group-post/${group.id}`}
        send={async (given, _form, mark) => {
          await write.mutateAsync({ ...given, mark })
          onClose()
        }}
      >
        <Field label={t.title} name="title" required maxLength={100} />
        <WritingArea label={t.text} name="body" rows={8} maxLength={50_000} required />
      </Form>
    </Dialog>
  )
}
