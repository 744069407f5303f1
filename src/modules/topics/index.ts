export { postsRecount, topicCounters } from './counters.ts'

export { showLogos, topicTables } from './imports/thinksns.ts'
export { linkTopics, unlinkTopics } from './posts/service.ts'
export { findTopicOwner, type TopicViewer, visibleTopics } from './queries.ts'
export { findForViewer, requireVisibleTopic } from './service.ts'
