import type { Schema } from '@kith/client'
import { list, read, startOf, useList, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { useToggle } from '../../ui/toggle.tsx'
import { QuestionRow } from './question-row.tsx'

const WORDS = words({
  none: ['No questions here yet.', '还没有问题。'],
  follow: ['Follow', '关注'],
  following: ['Following', '已关注'],
})

type Topic = Schema<'QuestionTopic'>

const idOf = ({ params }: Visit) => Number(params.topic)
const topicOf = (visit: Visit) =>
  read('/question-topics/{topic}', { params: { path: { topic: idOf(visit) } } })
const questionsOf = (visit: Visit) =>
  list('/question-topics/{topic}/questions', {
    params: {
      path: { topic: idOf(visit) },
      query: { type: 'all', ...startOf(visit.search) } as never,
    },
  })

export const page = definePage({
  queries: (visit) => [topicOf(visit), questionsOf(visit)],
  head: (visit, known) => {
    const { name, description } = known.one(topicOf(visit))
    return { title: name, description: description || name, canonical: visit.path }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { data: topic } = useRead(topicOf(visit))
    const questions = useList(questionsOf(visit))
    const params = { path: { topic: idOf(visit) } }
    const follow = useToggle(
      (each: object): each is Topic => 'experts_count' in each && (each as Topic).id === idOf(visit),
      {
        isOn: topic?.has_follow ?? false,
        on: (api) => api.put('/user/question-topics/{topic}', { params }),
        off: (api) => api.delete('/user/question-topics/{topic}', { params }),
        apply: (each, isOn) => ({ ...each, has_follow: isOn }),
      },
    )
    if (!topic) return null
    return (
      <>
        <header class="article">
          <div class="page-row">
            <h1 {...said(topic.name)}>{topic.name}</h1>
            <button
              type="button"
              class={topic.has_follow ? 'button is-quiet' : 'button'}
              aria-pressed={topic.has_follow}
              onClick={follow}
            >
              {topic.has_follow ? t.following : t.follow}
            </button>
          </div>
          {topic.description && <p>{topic.description}</p>}
        </header>
        {questions.items.map((question) => (
          <QuestionRow key={question.id} question={question} />
        ))}
        {questions.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={questions} path={visit.path} />
      </>
    )
  },
})
