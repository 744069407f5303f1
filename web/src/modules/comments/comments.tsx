import type { Kith, Schema } from '@kith/client'
import { X } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { type Listing, list, useList, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useDraft } from '../../app/use-draft.ts'
import { useWords, words } from '../../app/words.ts'
import { DraftNotes } from '../../ui/draft-notes.tsx'
import { More } from '../../ui/more.tsx'
import { AvatarLink } from '../../ui/picture.tsx'
import { Pin } from '../../ui/pin.tsx'
import { useShowPublished } from '../../ui/published.ts'
import { Report } from '../../ui/report.tsx'
import { Text } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'

type Comment = Schema<'CommentWithPeople'>

const EMPTY: { text: string; answered: { id: number; name: string } | null } = { text: '', answered: null }

const WORDS = words({
  title: ['Comments', '评论'],
  none: ['No comments yet.', '还没有评论。'],
  write: ['Write a comment', '写评论'],
  send: ['Comment', '评论'],
  reply: ['Reply', '回复'],
  replyTo: [(name: string) => `Reply to ${name}`, (name: string) => `回复 ${name}`],
  delete: ['Delete', '删除'],
  deleted: ['Deleted.', '已删除。'],
  sure: ['Delete this comment?', '确定删除这条评论吗？'],
  cancel: ['Cancel', '取消'],
  signIn: ['Sign in to comment', '登录后评论'],
  closed: ['Deleted account', '已注销用户'],
})

const PLACES = {
  feeds: ['/feeds/{feed}/comments', 'feed', ['/feeds/{feed}']],
  news: ['/news/{news}/comments', 'news', ['/news/{news}']],
  questions: ['/questions/{question}/comments', 'question', ['/questions/{question}']],
  'question-answers': ['/question-answers/{answer}/comments', 'answer', ['/question-answers/{answer}']],
  albums: ['/music/specials/{special}/comments', 'special', ['/music/specials/{special}']],
  musics: ['/music/{music}/comments', 'music', ['/music/{music}']],
  'group-posts': ['/group-posts/{post}/comments', 'post', ['/groups/{group}/posts/{post}']],
} as const
type Kind = keyof typeof PLACES

type SendPin = (
  api: Kith,
  target: number,
  comment: number,
  body: { amount: number; day: number; password?: string },
  headers: Record<string, string>,
) => Promise<unknown>

const PINS: Partial<Record<Kind, { average: Parameters<typeof Pin>[0]['average']; send: SendPin }>> = {
  feeds: {
    average: ['/feeds/average', 'feed_comment'],
    send: (api, feed, comment, body, headers) =>
      api.post('/feeds/{feed}/comments/{comment}/currency-pinneds', {
        params: { path: { feed, comment } },
        body,
        headers,
      }),
  },
  news: {
    average: ['/news/average', 'news_comment'],
    send: (api, news, comment, body, headers) =>
      api.post('/news/{news}/comments/{comment}/currency-pinneds', {
        params: { path: { news, comment } },
        body,
        headers,
      }),
  },
  'group-posts': {
    average: ['/plus-group/average', 'post_comment'],
    send: (api, _post, comment, body, headers) =>
      api.post('/currency-pinned/comments/{comment}', { params: { path: { comment } }, body, headers }),
  },
}

export const commentsOf = (kind: Kind, id: number, search: URLSearchParams) => {
  const [path, name] = PLACES[kind]
  const after = Number(search.get('after')) || undefined
  return list(path, {
    params: { path: { [name]: id }, query: { trees: true, ...(after ? { after } : {}) } },
  } as never) as Listing<unknown, Comment>
}

export function Comments({
  kind,
  id,
  search,
  path,
}: {
  kind: Kind
  id: number
  search: URLSearchParams
  path: string
}) {
  const [place, name, changed] = PLACES[kind]
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const { say, fail } = useToast()
  const confirm = useConfirm()
  const title = useRef<HTMLHeadingElement>(null)
  const comments = useList(commentsOf(kind, id, search))
  const draft = useDraft(viewer ? `comment/${kind}/${id}` : null, EMPTY)
  const { text, answered } = draft.value
  const changes = [place, ...changed]
  const pins = PINS[kind]
  const show = useShowPublished()
  const write = useWrite(
    (api) =>
      draft.send((mark) =>
        api.post(
          place as '/feeds/{feed}/comments',
          {
            params: { path: { [name]: id } },
            body: { body: text.trim(), ...(answered ? { reply_user: answered.id } : {}) },
            headers: { 'idempotency-key': mark },
          } as never,
        ),
      ),
    {
      onSuccess: (made) =>
        void show(changes, `comment-${(made as unknown as Schema<'CommentMade'>).comment.id}`),
    },
  )
  // Sends reports of comments in groups to the group's managers, and other reports to the moderators.
  const report = (comment: number, reason: string) => {
    const params = { path: { comment } }
    return kind === 'group-posts'
      ? api.post('/reports/comments/{comment}', { params, body: { content: reason } })
      : api.post('/report/comments/{comment}', { params, body: { reason } })
  }
  const erase = useWrite<number>(
    (api, comment) =>
      api.delete(
        `${place}/{comment}` as '/feeds/{feed}/comments/{comment}',
        { params: { path: { [name]: id, comment } } } as never,
      ),
    {
      changes,
      onSuccess: () => {
        say(t.deleted)
        // The focused button is gone with the comment.
        title.current?.focus()
      },
    },
  )
  return (
    <section class="comments" aria-label={t.title}>
      <h2 ref={title} tabIndex={-1}>
        {t.title}
      </h2>
      {viewer ? (
        <form
          class="comment-form"
          method="post"
          onSubmit={(event) => {
            event.preventDefault()
            write.mutate(undefined, { onError: fail })
          }}
        >
          <DraftNotes draft={draft} excerpt={(value) => value.text} />
          {answered && (
            <p class="aim quiet">
              <span dir="auto">{t.replyTo(answered.name)}</span>
              <button
                type="button"
                class="icon-button"
                aria-label={t.cancel}
                onClick={() => draft.change({ answered: null })}
              >
                <X size={18} aria-hidden />
              </button>
            </p>
          )}
          <WritingArea
            id="comment"
            aria-label={answered ? t.replyTo(answered.name) : t.write}
            placeholder={answered ? t.replyTo(answered.name) : t.write}
            rows={2}
            maxLength={255}
            value={text}
            readOnly={write.isPending}
            onText={(next) => draft.change({ text: next })}
          />
          <button class="button" type="submit" disabled={text.trim() === '' || write.isPending}>
            {t.send}
          </button>
        </form>
      ) : (
        <p>
          <Link class="button is-quiet" href={`/sign-in?next=${encodeURIComponent(path)}`}>
            {t.signIn}
          </Link>
        </p>
      )}
      {comments.items.length === 0 && <p class="quiet">{t.none}</p>}
      <ol class="comment-list">
        {comments.items.map((comment) => (
          <li key={comment.id} id={`comment-${comment.id}`}>
            <AvatarLink person={comment.user} size={28} />
            <div>
              <p class="comment-head">
                {comment.user ? (
                  <Link class="name" dir="auto" href={`/users/${comment.user.id}`}>
                    {comment.user.name}
                  </Link>
                ) : (
                  <span class="name" dir="auto">
                    {t.closed}
                  </span>
                )}
                {comment.reply && <span class="quiet"> → {comment.reply.name}</span>}
                <Time class="time" at={comment.created_at} />
              </p>
              <Text tree={comment.body_tree} raw={comment.body} />
              {viewer && comment.user && (
                <p class="comment-actions">
                  {comment.user_id === viewer.id ? (
                    <>
                      <button
                        type="button"
                        class="text-button"
                        onClick={async () => {
                          if (await confirm(t.sure, t.delete)) erase.mutate(comment.id, { onError: fail })
                        }}
                      >
                        {t.delete}
                      </button>
                      {pins && (
                        <Pin
                          purpose={`comments/${comment.id}`}
                          average={pins.average}
                          send={(body, headers) => pins.send(api, id, comment.id, body, headers)}
                          onDone={() => void comments.refetch()}
                        />
                      )}
                    </>
                  ) : (
                    <>
                      <button
                        type="button"
                        class="text-button"
                        onClick={() => {
                          draft.change({ answered: { id: comment.user_id, name: comment.user?.name ?? '' } })
                          document.getElementById('comment')?.focus()
                        }}
                      >
                        {t.reply}
                      </button>
                      <Report place={`comment/${comment.id}`} send={(reason) => report(comment.id, reason)} />
                    </>
                  )}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
      <More list={comments} path={path} />
    </section>
  )
}
