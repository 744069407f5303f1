export { groupCounters, groupEscrowChecks } from './counters.ts'

export { viewsOf } from './posts/queries.ts'
