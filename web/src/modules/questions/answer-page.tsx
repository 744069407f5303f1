import { Link } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { Supporters } from '../../ui/supporters.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'
import { AnswerCard } from './answer.tsx'
import { questionData } from './structured.ts'

const idOf = ({ params }: Visit) => Number(params.answer)
const answerOf = (visit: Visit) =>
  read('/question-answers/{answer}', {
    params: { path: { answer: idOf(visit) }, query: { trees: true } },
  })

export const page = definePage({
  queries: (visit) => [answerOf(visit), commentsOf('question-answers', idOf(visit), visit.search)],
  head: (visit, known) => {
    const answer = known.one(answerOf(visit))
    const { question, text_body } = answer
    return {
      title: question.subject,
      description: text_body || question.subject,
      canonical: visit.path,
      type: 'article',
      data: questionData(question, [answer], visit),
    }
  },
  body: ({ visit }) => {
    const { data: answer } = useRead(answerOf(visit))
    const said = useSaid()
    if (!answer) return null
    return (
      <>
        <header class="page-head">
          <h1 {...said(answer.question.subject)}>
            <Link href={`/questions/${answer.question_id}`}>{answer.question.subject}</Link>
          </h1>
        </header>
        <AnswerCard answer={answer} />
        <Supporters path={`/question-answers/${answer.id}`} likes={answer.likes_count} />
        <Comments kind="question-answers" id={answer.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})
