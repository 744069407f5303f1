export { findDrift, type ImDrift, imState, reconcile } from './drift/service.ts'
