import { MessageCircleQuestionMark } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useViewer } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { QuestionRow } from './question-row.tsx'

const WORDS = words({
  title: ['Questions', '问答'],
  description: ['Questions and answers by users of this site.', '本站用户的提问与回答。'],
  all: ['All', '全部'],
  new: ['Unanswered', '待回答'],
  hot: ['Hot', '热门'],
  reward: ['With a bounty', '悬赏'],
  excellent: ['Excellent', '精选'],
  mine: ['My questions', '我的问答'],
  ask: ['Ask', '提问'],
  empty: ['No questions here yet', '还没有问题'],
})

const TYPES = ['all', 'new', 'hot', 'reward', 'excellent'] as const
const typeOf = ({ search }: Visit) => TYPES.find((type) => type === search.get('type')) ?? 'all'
const addressOf = (type: (typeof TYPES)[number]) =>
  type === 'all' ? '/questions' : `/questions?type=${type}`
const questionsOf = (visit: Visit) =>
  list('/questions', {
    params: {
      query: { type: typeOf(visit), ...startOf(visit.search) } as never,
    },
  })

export const page = definePage({
  queries: (visit) => [questionsOf(visit)],
  head: ({ language, path }) => ({
    title: WORDS[language].title,
    description: WORDS[language].description,
    canonical: path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const viewer = useViewer()
    const type = typeOf(visit)
    const questions = useList(questionsOf(visit))
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          {viewer && (
            <Link class="text-button" href="/questions/mine">
              {t.mine}
            </Link>
          )}
          <Link class="button is-quiet" href="/questions/ask">
            {t.ask}
          </Link>
        </header>
        <Tabs label={t.title} here={addressOf(type)} tabs={TYPES.map((each) => [addressOf(each), t[each]])} />
        {questions.items.map((question) => (
          <QuestionRow key={question.id} question={question} />
        ))}
        {questions.items.length === 0 && !questions.isPending && (
          <section class="empty">
            <MessageCircleQuestionMark size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        <More list={questions} path={visit.path} {...(type === 'all' ? {} : { query: { type } })} />
      </>
    )
  },
})
