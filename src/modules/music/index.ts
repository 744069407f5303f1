export { musicImporter } from './imports/service.ts'
export { exportMusic, musicCounters } from './service.ts'
export { playsOf } from './songs/service.ts'
