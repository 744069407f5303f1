export { bufferedOutput, createLog, type Log, redactAddress, redactText } from './log.ts'
export { addGauge, createMetrics, type Metrics, quantileMs, type Traffic } from './metrics.ts'
