export { answerViewCounts, questionViewCounts } from './counters.ts'
export { ANSWERS_GIVEN } from './queries.ts'
export { excerptOf } from './schema.ts'

export { addQuestionTopic } from './topics/service.ts'
