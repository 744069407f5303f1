export { answerReader, questionReader } from './content.ts'
export { anonymousLikes, questionCounters, questionEscrowChecks } from './counters.ts'
export { questionTables, settleQuestions, showTopicPictures } from './imports/thinksns/tables.ts'
export { addQuestionTopic } from './topics/service.ts'
