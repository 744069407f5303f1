export { groupCounters, groupEscrowChecks } from './counters.ts'

export { countRequests } from './members/queries.ts'
export { COMMENT_PIN, POST_PIN } from './pins/schema.ts'
export { postReader } from './posts/content.ts'
export { viewsOf } from './posts/queries.ts'
export { postRemoval } from './posts/service.ts'

export { groupReader } from './service.ts'
