export { musicCounters } from './counters.ts'
export { musicImporter } from './imports/service.ts'
export { exportMusic } from './service.ts'
export { playsOf } from './songs/counters.ts'
