export { hitsOf, newsCounters } from './counters.ts'
export { exportAllNews } from './exports/service.ts'
export { newsImporter } from './imports/service.ts'
