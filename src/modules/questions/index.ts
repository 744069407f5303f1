export { answerReader, questionReader } from './content.ts'
export {
  answerViewCounts,
  questionCounters,
  questionEscrowChecks,
  questionViewCounts,
} from './counters.ts'
export { excerptOf } from './markdown.ts'
export { ANSWERS_GIVEN } from './queries.ts'
export { answerRemoval, questionRemoval } from './removals.ts'
export { addQuestionTopic } from './topics/service.ts'
