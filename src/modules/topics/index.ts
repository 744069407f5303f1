export {
  findTopicOwner,
  isTopicVisible,
  postsRecount,
  type TopicViewer,
  topicCounters,
  topicNamesVersion,
  visibleTopics,
} from './queries.ts'
export { noSuchTopic, unknownTopic } from './schema.ts'
export {
  findForViewerOrReviewer,
  findTopicNames,
  linkTopics,
  requireVisibleTopic,
  unlinkTopics,
} from './service.ts'
