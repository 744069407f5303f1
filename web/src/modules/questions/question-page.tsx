import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useDraft } from '../../app/use-draft.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { Byline } from '../../ui/byline.tsx'
import { useDialogLater } from '../../ui/dialog-later.ts'
import { DraftNotes } from '../../ui/draft-notes.tsx'
import { More } from '../../ui/more.tsx'
import { useShowPublished } from '../../ui/published.ts'
import { Remove } from '../../ui/remove.tsx'
import { Report } from '../../ui/report.tsx'
import { Text } from '../../ui/text.tsx'
import { useToggle } from '../../ui/toggle.tsx'
import { WritingArea } from '../../ui/writing-area.tsx'
import { Comments } from '../comments/comments.tsx'
import { AnswerCard } from './answer.tsx'
import { questionData } from './structured.ts'

const WORDS = words({
  answers: [(count: number) => plural(count, 'answer'), (count: number) => `${count} 个回答`],
  bounty: [
    (amount: number) => `Bounty: ${plural(amount, 'point')}`,
    (amount: number) => `悬赏 ${amount} 积分`,
  ],
  watch: ['Follow', '关注问题'],
  watching: ['Following', '已关注'],
  write: ['Write an answer', '写回答'],
  send: ['Publish answer', '发布回答'],
  signIn: ['Sign in to answer', '登录后回答'],
  sent: ['Published.', '已发布。'],
  comments: ['Comments', '评论'],
  edit: ['Edit', '编辑'],
  setBounty: ['Offer a bounty', '设置悬赏'],
  points: ['Points', '积分'],
  apply: ['Request to mark as excellent', '申请精选'],
  applied: ['Request submitted. An editor will review it.', '已提交申请，等待审核。'],
})

type Question = Schema<'QuestionDetail'>

const idOf = ({ params }: Visit) => Number(params.question)
const questionOf = (visit: Visit) =>
  read('/questions/{question}', { params: { path: { question: idOf(visit) }, query: { trees: true } } })
const answersOf = (visit: Visit) =>
  list('/questions/{question}/answers', {
    params: {
      path: { question: idOf(visit) },
      query: { ...startOf(visit.search), trees: true } as never,
    },
  })

export const page = definePage({
  queries: (visit) => [questionOf(visit), answersOf(visit)],
  head: (visit, known) => {
    const question = known.one(questionOf(visit))
    const { adoption_answers: adopted, invitation_answers: invited } = question
    const first = [...adopted, ...invited]
    const ids = new Set(first.map(({ id }) => id))
    const answers = [...first, ...known.all(answersOf(visit)).filter(({ id }) => !ids.has(id))]
    return {
      title: question.subject,
      description: question.text_body || question.subject,
      canonical: visit.path,
      type: 'article',
      data: questionData(question, answers, visit),
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { viewer } = useSite()
    const { data: question } = useRead(questionOf(visit))
    const answers = useList(answersOf(visit))
    const params = { path: { question: idOf(visit) } }
    const watch = useToggle(
      (each: object): each is Question => 'watched' in each && (each as Question).id === idOf(visit),
      {
        isOn: question?.watched ?? false,
        on: (api) => api.put('/user/question-watches/{question}', { params }),
        off: (api) => api.delete('/user/question-watches/{question}', { params }),
        apply: (each, isOn) => ({ ...each, watched: isOn }),
      },
    )
    if (!question) return null
    const first = [...question.adoption_answers, ...question.invitation_answers]
    const firstIds = new Set(first.map(({ id }) => id))
    return (
      <>
        <article class="article">
          {question.topics.length > 0 && (
            <ul class="tags">
              {question.topics.map(({ id, name }) => (
                <li key={id}>
                  <Link dir="auto" href={`/question-topics/${id}`}>
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <h1 {...said(question.subject)}>{question.subject}</h1>
          <Byline person={question.user} time={question.created_at} isAnonymous={question.anonymity === 1}>
            <button
              type="button"
              class={question.watched ? 'button is-quiet' : 'button'}
              aria-pressed={question.watched}
              onClick={watch}
            >
              {question.watched ? t.watching : t.watch}
            </button>
          </Byline>
          {question.body && (
            <Text tree={question.body_tree} raw={question.body} name={`question-${question.id}`} />
          )}
          <p class="quiet">
            {t.answers(question.answers_count)}
            {question.amount > 0 && ` · ${t.bounty(question.amount)}`}
          </p>
          {viewer && <Acts question={question} visit={visit} />}
        </article>
        <Write question={question} path={visit.path} />
        {[...first, ...answers.items.filter(({ id }) => !firstIds.has(id))].map((answer) => (
          <AnswerCard
            key={answer.id}
            answer={answer}
            canAdopt={
              viewer?.id === question.user_id &&
              answer.user_id !== viewer.id &&
              question.adoption_answers.length === 0
            }
          />
        ))}
        <More list={answers} path={visit.path} />
      </>
    )
  },
})

function Acts({ question, visit }: { question: Question; visit: Visit }) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const { say, fail } = useToast()
  const [, navigate] = useLocation()
  const [hasComments, setHasComments] = useState(false)
  const { shown, open, close } = useDialogLater(() => import('../../ui/pay.tsx'))
  const params = { path: { question: question.id } }
  const isMine = viewer?.id === question.user_id
  const refresh = () => void cache.invalidateQueries({ queryKey: ['/questions/{question}'] })
  return (
    <>
      <footer class="actions">
        <button
          type="button"
          class="text-button"
          aria-expanded={hasComments}
          onClick={() => setHasComments(!hasComments)}
        >
          {t.comments} {question.comments_count > 0 && question.comments_count}
        </button>
        {isMine ? (
          <>
            <Link class="text-button" href={`/questions/ask?question=${question.id}`}>
              {t.edit}
            </Link>
            {question.amount === 0 && question.adoption_answers.length === 0 && (
              <button type="button" class="text-button" onClick={open}>
                {t.setBounty}
              </button>
            )}
            {!question.excellent && (
              <button
                type="button"
                class="text-button"
                onClick={() =>
                  api
                    .post('/user/question-application/{question}', { params })
                    .then(() => say(t.applied), fail)
                }
              >
                {t.apply}
              </button>
            )}
            <Remove
              send={() => api.delete('/questions/{question}', { params })}
              onDone={() => {
                void cache.invalidateQueries({ queryKey: ['/questions'] })
                void cache.invalidateQueries({ queryKey: ['/user/questions'] })
                navigate('/questions')
              }}
            />
          </>
        ) : (
          <Report
            place={`question/${question.id}`}
            send={(reason) => api.post('/questions/{question}/reports', { params, body: { reason } })}
          />
        )}
      </footer>
      {hasComments && (
        <Comments kind="questions" id={question.id} search={new URLSearchParams()} path={visit.path} />
      )}
      {shown && (
        <shown.Pay
          purpose={`bounty/questions/${question.id}`}
          title={t.setBounty}
          fields={[{ name: 'amount', label: t.points, least: 1 }]}
          price={({ amount = 1 }) => amount}
          pay={({ amount, password, headers }) =>
            api.patch('/questions/{question}/amount', {
              params,
              body: { amount, ...password },
              headers,
            } as never)
          }
          onClose={close}
          onDone={() => {
            close()
            refresh()
          }}
        />
      )}
    </>
  )
}

function Write({ question, path }: { question: Question; path: string }) {
  const t = useWords(WORDS)
  const { viewer } = useSite()
  const { say, fail } = useToast()
  const draft = useDraft(viewer ? `answer/${question.id}` : null, { text: '' })
  const { text } = draft.value
  const show = useShowPublished()
  const write = useWrite(
    (api) =>
      draft.send((mark) =>
        api.post('/questions/{question}/answers', {
          params: { path: { question: question.id } },
          body: { body: text.trim() },
          headers: { 'idempotency-key': mark },
        }),
      ),
    {
      onSuccess: ({ answer: { id } }) =>
        void show(
          ['/questions/{question}', '/questions/{question}/answers'],
          `answer-${id}`,
          `/question-answers/${id}`,
        ),
    },
  )
  if (question.my_answer) return null
  if (!viewer)
    return (
      <p class="is-centred">
        <Link class="button is-quiet" href={`/sign-in?next=${encodeURIComponent(path)}`}>
          {t.signIn}
        </Link>
      </p>
    )
  return (
    <form
      class="comment-form article"
      method="post"
      onSubmit={(event) => {
        event.preventDefault()
        write.mutate(undefined, { onSuccess: () => say(t.sent), onError: fail })
      }}
    >
      <DraftNotes draft={draft} excerpt={(value) => value.text} />
      <WritingArea
        aria-label={t.write}
        placeholder={t.write}
        rows={4}
        maxLength={50_000}
        value={text}
        readOnly={write.isPending}
        onText={(next) => draft.change({ text: next })}
      />
      <button class="button" type="submit" disabled={text.trim() === '' || write.isPending}>
        {t.send}
      </button>
    </form>
  )
}
