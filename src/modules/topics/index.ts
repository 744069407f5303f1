export { postsRecount, topicCounters } from './counters.ts'
export { findTopicOwner, type TopicViewer, visibleTopics } from './queries.ts'
export { noSuchTopic, unknownTopic } from './schema.ts'
export { findForViewerOrReviewer, linkTopics, requireVisibleTopic, unlinkTopics } from './service.ts'
