export { bufferedOutput, createLog, type Log, redactAddress, redactText } from './log.ts'
export { watchLoop } from './loop-watch.ts'
export { addGauge, createMetrics, type Metrics, quantileMs, type Traffic } from './metrics.ts'
