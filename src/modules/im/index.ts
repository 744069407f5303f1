export { findDrift, findImState, reconcile } from './drift/service.ts'
export { countImBacklog } from './sync/queries.ts'
