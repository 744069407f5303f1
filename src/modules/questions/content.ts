import type { Content, ContentReader } from '#contracts/content.ts'
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

/** Questions as content with comments and reports. */
export const questionContent: Content = {
  type: QUESTIONS,
  param: 'question',
  noun: 'Question',
  tag: 'Questions',
  find: findQuestionTarget,
  live: (sql, id) => sql`select id from questions where id = ${id}`,
}

/** Answers as content with comments, likes, collections, rewards and reports. */
export const answerContent: Content = {
  type: ANSWERS,
  param: 'answer',
  noun: 'Answer',
  tag: 'Answers',
  find: findAnswerTarget,
  live: (sql, id) => sql`select id, anonymity as hidden from answers where id = ${id}`,
  anonymous: true,
}

/** Loads questions for lists of mixed kinds. */
export const questionReader: ContentReader = {
  visible: findExistingQuestions,
  views: questionsById,
  anonymous: findAnonymousQuestions,
}

/** Loads answers for lists of mixed kinds. */
export const answerReader: ContentReader = {
  visible: findExistingAnswers,
  readable: findReadableAnswers,
  views: answersById,
  anonymous: findAnonymousAnswers,
}
