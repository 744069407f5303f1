export { bufferedOutput, createLog, type Log, redactRequestUrl, redactText } from './log.ts'
export { createMetrics, type Metrics, quantileMs, type Traffic } from './metrics.ts'
