export { findDrift, imState, pingIm, reconcile } from './drift/service.ts'
export { imTables } from './imports/thinksns.ts'
export { imBacklog } from './sync/queries.ts'
