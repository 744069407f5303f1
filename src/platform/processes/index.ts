export { gatherMetrics } from './all-metrics.ts'
export { type Channel, supervisorChannel } from './channel.ts'
export { createProcessPool, type StartParameters } from './process-pool.ts'
export { countForProcesses, createRateLimiter, type RateLimiter, type RateState } from './rate-limit.ts'
