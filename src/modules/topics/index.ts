export {
  findNamedTopics,
  findTopicNames,
  isTopicVisible,
  listTopicNames,
  topicNamesVersion,
} from './names.ts'
export {
  findTopicOwner,
  postsRecount,
  selectFollowedTopics,
  type TopicViewer,
  topicCounters,
  visibleTopics,
} from './queries.ts'
export { noSuchTopic, unknownTopic } from './schema.ts'
export {
  findForViewerOrReviewer,
  linkTopics,
  requireVisibleTopic,
  unlinkTopics,
} from './service.ts'
export { TOPIC_SETTINGS } from './settings.ts'
