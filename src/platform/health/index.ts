export { CATALOGUE, type Details } from './catalogue.ts'
export { describeFault, explainFault, HealthFault } from './faults.ts'
export { addressOf, bucketFault, diskFault, explainError, networkFault, targetOf } from './reasons.ts'
