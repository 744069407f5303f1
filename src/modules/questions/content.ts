import type { Content, Reader } from '#platform/content.ts'
import {
  findAnonymousAnswers,
  findAnswerTarget,
  findExistingAnswers,
  findReadableAnswers,
} from './answers/queries.ts'
import { answersById } from './answers/view.ts'
import { findAnonymousQuestions, findExistingQuestions, findQuestionTarget } from './queries.ts'
import { ANSWERS, QUESTIONS } from './schema.ts'
import { questionsById } from './view.ts'

/** Questions as content that is commented on and reported. */
export const questionContent: Content = {
  type: QUESTIONS,
  param: 'question',
  noun: 'Question',
  tag: 'Questions',
  find: findQuestionTarget,
  live: (sql, id) => sql`select id from questions where id = ${id}`,
}

/** Answers as content that is commented on, liked, collected, rewarded and reported. */
export const answerContent: Content = {
  type: ANSWERS,
  param: 'answer',
  noun: 'Answer',
  tag: 'Answers',
  find: findAnswerTarget,
  live: (sql, id) => sql`select id, anonymity as hidden from answers where id = ${id}`,
  anonymous: true,
}

/** How lists that mix kinds read questions. */
export const questionReader: Reader = {
  visible: findExistingQuestions,
  views: questionsById,
  anonymous: findAnonymousQuestions,
}

/** How lists that mix kinds read answers. */
export const answerReader: Reader = {
  visible: findExistingAnswers,
  readable: findReadableAnswers,
  views: answersById,
  anonymous: findAnonymousAnswers,
}
