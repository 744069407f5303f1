export { answerReader, questionReader } from './content.ts'
export { questionCounters, questionEscrowChecks } from './counters.ts'
export { addQuestionTopic } from './topics/service.ts'
