export { groupCounters, groupEscrowChecks } from './counters.ts'

export { viewsOf } from './posts/queries.ts'
export { GROUP_SETTINGS } from './settings.ts'
