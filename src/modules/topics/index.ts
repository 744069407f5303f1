export { noSuchTopic } from './errors.ts'
export { topicCounters } from './queries/counters.ts'
export { linkTopics, unlinkTopics } from './service/posts.ts'
export { requireVisibleTopic, topicNames } from './service/visibility.ts'
