export { answerViewCounts, questionViewCounts } from './counters.ts'
export { excerptOf } from './markdown.ts'
export { ANSWERS_GIVEN } from './queries.ts'

export { addQuestionTopic } from './topics/service.ts'
