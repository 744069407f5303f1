import type { Schema } from '@kith/client'
import type { Visit } from '../../app/page.ts'
import { authorship } from '../../app/structured.ts'
import { plainText } from '../../app/text.ts'

const answerData = (answer: Schema<'Answer'>, visit: Visit) => ({
  '@type': 'Answer',
  text: answer.text_body || plainText(answer.body_tree, answer.body),
  url: `${visit.origin}/question-answers/${answer.id}`,
  upvoteCount: answer.likes_count,
  ...authorship(answer, visit),
})

/** Describes a question and those of its answers that the viewer may read, as search engines expect it. */
export function questionData(
  question: Omit<Schema<'Question'>, 'body_tree'>,
  answers: Schema<'Answer'>[],
  visit: Visit,
) {
  const readable = answers.filter(({ body }) => body)
  const accepted = readable.find(({ adoption }) => adoption === 1)
  const suggested = readable.filter((answer) => answer !== accepted)
  return {
    '@type': 'QAPage',
    mainEntity: {
      '@type': 'Question',
      name: question.subject,
      text: question.text_body || question.subject,
      url: `${visit.origin}/questions/${question.id}`,
      answerCount: question.answers_count,
      upvoteCount: question.likes_count,
      ...authorship(question, visit),
      ...(accepted ? { acceptedAnswer: answerData(accepted, visit) } : {}),
      ...(suggested.length > 0
        ? { suggestedAnswer: suggested.map((answer) => answerData(answer, visit)) }
        : {}),
    },
  }
}
