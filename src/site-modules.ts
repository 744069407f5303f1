/** Parts of a serving process that import all modules. `serve` loads them while the database starts. */
export { buildApp } from '#app'
export { ensureFounder } from '#modules/accounts/index.ts'
export { recordTraffic } from '#modules/statistics/index.ts'
export { banner } from './banner.ts'
export { prepareStart } from './prepare.ts'
export { exportSiteMetrics } from './site-metrics.ts'
export { startWorker } from './worker.ts'
