export { findDrift, type ImDrift, imState, reconcile } from './service/reconcile.ts'
