export { findDrift, findImState, reconcile } from './drift.ts'
export { countImBacklog } from './sync/queries.ts'
