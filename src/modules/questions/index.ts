export { returnBounties } from './bounties/service.ts'
export { answerReader, questionReader } from './content.ts'
export {
  anonymousLikes,
  answerViewCounts,
  questionCounters,
  questionEscrowChecks,
  questionViewCounts,
} from './counters.ts'
export { questionTables, settleQuestions, showTopicPictures } from './imports/thinksns/tables.ts'
export { answerRemoval, questionRemoval } from './removals.ts'
export { addQuestionTopic } from './topics/service.ts'
