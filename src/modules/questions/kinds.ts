import type { ContentKind } from '#platform/content.ts'
import { answerReader, questionCounters, questionEscrowChecks, questionReader } from './index.ts'

/** Questions and answers, as the rest of Kith knows them. */
export const QUESTION_KINDS: ContentKind[] = [
  {
    type: 'questions',
    code: 8,
    reader: questionReader,
    counters: questionCounters,
    paymentChecks: questionEscrowChecks,
    files: { 'question:images': 'admin: questions' },
    repostable: true,
  },
  {
    type: 'question-answers',
    code: 9,
    reader: answerReader,
    files: { 'answer:images': 'admin: questions' },
    repostable: true,
  },
]
