import type { ContentKind } from '#platform/content.ts'
import {
  answerReader,
  answerRemoval,
  questionCounters,
  questionEscrowChecks,
  questionReader,
  questionRemoval,
} from './index.ts'

/** Questions and answers, as the rest of Kith knows them. */
export const QUESTION_KINDS: ContentKind[] = [
  {
    type: 'questions',
    code: 8,
    reader: questionReader,
    removal: questionRemoval,
    counters: questionCounters,
    paymentChecks: questionEscrowChecks,
    files: { 'question:images': 'admin: questions' },
    repostable: true,
  },
  {
    type: 'question-answers',
    code: 9,
    reader: answerReader,
    removal: answerRemoval,
    files: { 'answer:images': 'admin: questions' },
    repostable: true,
  },
]
