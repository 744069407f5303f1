import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { plainLine } from '../../app/text.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { QuestionRow } from './question-row.tsx'

const WORDS = words({
  title: ['My questions and answers', '我的问答'],
  asked: ['Asked', '提问'],
  answered: ['Answered', '回答'],
  watched: ['Followed', '关注'],
  answer: ['Answer', '回答'],
  none: ['Nothing here yet.', '暂无内容。'],
})
const KINDS = ['asked', 'answered', 'watched'] as const

const kindOf = ({ search }: Visit) => KINDS.find((kind) => kind === search.get('kind')) ?? 'asked'
const questionsOf = (visit: Visit) => {
  const init = { params: { query: startOf(visit.search) } }
  return kindOf(visit) === 'watched' ? list('/user/question-watches', init) : list('/user/questions', init)
}
const answersOf = (visit: Visit) =>
  list('/user/question-answer', { params: { query: { ...startOf(visit.search), trees: true } } })

export const page = definePage({
  queries: (visit) => [kindOf(visit) === 'answered' ? answersOf(visit) : questionsOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const kind = kindOf(visit)
    const isAnswers = kind === 'answered'
    const questions = useList(questionsOf(visit), { enabled: !isAnswers })
    const answers = useList(answersOf(visit), { enabled: isAnswers })
    const shown = isAnswers ? answers : questions
    return (
      <>
        <Tabs
          label={t.title}
          here={`/questions/mine?kind=${kind}`}
          tabs={KINDS.map((each) => [`/questions/mine?kind=${each}`, t[each]])}
        />
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        {isAnswers
          ? answers.items.map(({ id, question, text_body, body, body_tree }) => (
              <Summary
                key={id}
                href={`/question-answers/${id}`}
                title={question?.subject ?? t.answer}
                text={text_body ?? plainLine(body_tree, body)}
              />
            ))
          : questions.items.map((question) => <QuestionRow key={question.id} question={question} />)}
        {shown.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={shown} path={visit.path} query={{ kind }} />
      </>
    )
  },
})
