import type { Schema } from '@kith/client'
import { useQueryClient } from '@tanstack/preact-query'
import { Bookmark, Check, Heart, Lock, MessageCircle } from 'lucide-preact'
import { Link, useLocation } from 'wouter-preact'
import { useWrite } from '../../app/api.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { plural, useWords, words } from '../../app/words.ts'
import { Byline } from '../../ui/byline.tsx'
import { useDialogLater } from '../../ui/dialog-later.ts'
import { Remove } from '../../ui/remove.tsx'
import { Report } from '../../ui/report.tsx'
import { Revise } from '../../ui/revise.tsx'
import { Reward } from '../../ui/reward.tsx'
import { Text } from '../../ui/text.tsx'
import { Action, useToggle } from '../../ui/toggle.tsx'

const WORDS = words({
  like: ['Like', '点赞'],
  collect: ['Save', '收藏'],
  comment: ['Comments', '评论'],
  adopted: ['Adopted', '已采纳'],
  hidden: [
    (points: number) => `See this answer for ${plural(points, 'point')}`,
    (points: number) => `支付 ${points} 积分围观此回答`,
  ],
  look: ['See the answer', '围观回答'],
  adopt: ['Adopt', '采纳'],
})

type Answer = Schema<'Answer'>

const CHANGED = ['/questions/{question}', '/questions/{question}/answers', '/question-answers/{answer}']

export function AnswerCard({ answer, canAdopt }: { answer: Answer; canAdopt?: boolean }) {
  const t = useWords(WORDS)
  const { id, likes_count, liked, comments_count } = answer
  const params = { path: { answer: id } }
  const { api, viewer } = useSite()
  const cache = useQueryClient()
  const [, navigate] = useLocation()
  const { fail } = useToast()
  const adopt = useWrite(
    (api) =>
      api.put('/questions/{question}/adoptions/{answer}', {
        params: { path: { question: answer.question_id, answer: id } },
      }),
    { changes: ['/questions/{question}', '/questions/{question}/answers'] },
  )
  const isOne = (each: object): each is Answer =>
    'question_id' in each && 'liked' in each && (each as Answer).id === id
  const like = useToggle(isOne, {
    isOn: liked,
    on: (api) => api.post('/question-answers/{answer}/likes', { params }),
    off: (api) => api.delete('/question-answers/{answer}/likes', { params }),
    apply: (each, isOn) => ({ ...each, liked: isOn, likes_count: each.likes_count + (isOn ? 1 : -1) }),
  })
  const collect = useToggle(isOne, {
    isOn: answer.collected,
    on: (api) => api.post('/user/question-answer/collections/{answer}', { params }),
    off: (api) => api.delete('/user/question-answer/collections/{answer}', { params }),
    apply: (each, isOn) => ({ ...each, collected: isOn }),
    changes: ['/user/question-answer/collections'],
  })
  const refresh = () => {
    for (const path of CHANGED) void cache.invalidateQueries({ queryKey: [path] })
  }
  const isMine = viewer?.id === answer.user_id
  return (
    <article class="article" id={`answer-${id}`}>
      <Byline person={answer.user} time={answer.created_at} isAnonymous={answer.anonymity === 1}>
        {answer.adoption === 1 && (
          <span class="adopted">
            <Check size={16} aria-hidden /> {t.adopted}
          </span>
        )}
        {canAdopt && (
          <button
            type="button"
            class="button is-quiet"
            onClick={() => adopt.mutate(undefined, { onError: fail })}
          >
            {t.adopt}
          </button>
        )}
      </Byline>
      {answer.body ? (
        <Text tree={answer.body_tree} raw={answer.body} name={`answer-${id}`} />
      ) : (
        <Look answer={id} />
      )}
      <footer class="actions">
        <Action icon={Heart} kind="like" label={t.like} count={likes_count} isOn={liked} onClick={like} />
        <Link class="action" href={`/question-answers/${id}`} aria-label={`${t.comment} ${comments_count}`}>
          <MessageCircle size={20} aria-hidden />
          {comments_count > 0 && <span>{comments_count}</span>}
        </Link>
        {!isMine && (
          <Reward
            purpose={`answers/${answer.id}`}
            count={answer.rewarder_count}
            send={(body, headers) =>
              api.post('/question-answers/{answer}/rewarders', { params, body, headers } as never)
            }
            onDone={refresh}
          />
        )}
        <Action icon={Bookmark} kind="collect" label={t.collect} isOn={answer.collected} onClick={collect} />
        {isMine && answer.body && (
          <Revise
            place={`answer/${id}`}
            text={answer.body}
            send={async ({ text }) => {
              await api.patch('/question-answers/{answer}', {
                params,
                body: { body: text },
              })
              refresh()
            }}
          />
        )}
        {isMine ? (
          <Remove
            send={() => api.delete('/question-answers/{answer}', { params })}
            onDone={() => {
              refresh()
              navigate(`/questions/${answer.question_id}`)
            }}
          />
        ) : (
          <Report
            place={`answer/${id}`}
            send={(reason) => api.post('/question-answers/{answer}/reports', { params, body: { reason } })}
          />
        )}
      </footer>
    </article>
  )
}

function Look({ answer }: { answer: number }) {
  const t = useWords(WORDS)
  const { api, viewer, settings } = useSite()
  const cache = useQueryClient()
  const [path, navigate] = useLocation()
  const { shown, open, close } = useDialogLater(() => import('../../ui/pay.tsx'))
  const price = settings['question:onlookers_amount']
  return (
    <>
      <button
        type="button"
        class="price"
        onClick={() => (viewer ? open() : navigate(`/sign-in?next=${encodeURIComponent(path)}`))}
      >
        <Lock size={16} aria-hidden /> {t.hidden(price)}
      </button>
      {shown && (
        <shown.Pay
          purpose={`look/answers/${answer}`}
          title={t.look}
          price={() => price}
          pay={({ password, headers }) =>
            api.post('/question-answers/{answer}/onlookers', {
              params: { path: { answer } },
              body: password,
              headers,
            } as never)
          }
          onDone={() => {
            close()
            void cache.invalidateQueries()
          }}
          onClose={close}
        />
      )}
    </>
  )
}
