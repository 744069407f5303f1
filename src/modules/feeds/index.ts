export { feedCounters } from './counters/queries.ts'
export { deleteFeed, restoreFeed } from './publishing/service.ts'
export { feedReader, feedThing, removeFeedComment } from './service.ts'
export { feedViews } from './view.ts'
