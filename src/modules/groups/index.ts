export { groupCounters, groupEscrowChecks } from './counters.ts'
export {
  clearGroupAvatars,
  groupReportTables,
  groupTables,
  settleGroups,
  tagGroups,
} from './imports/thinksns/tables.ts'
export { clearOldRequests, countOldRequestsOf } from './jobs.ts'
export { postReader } from './posts/content.ts'
export { viewsOf } from './posts/queries.ts'
export { postRemoval } from './posts/service.ts'

export { groupReader } from './service.ts'
